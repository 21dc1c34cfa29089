#!/usr/bin/env bash
# H09 on real processes: what all members have is given up, a member that is away holds it back, and one
# that was retired meanwhile joins anew: it brings nothing back, and loses no edit without a word.
source "$(dirname "$0")/common.sh"

begin 3
peers_up
within 15 "each host finds the two others" peers_connected 2 "${LAB_HOSTS[@]}"
new_space
hb host1 retention "$SPACE" latest >/dev/null
notes=()
for number in 1 2 3; do
  notes+=("$(hb host1 anchor put "$SPACE" --set "note=$number")")
done
within 10 "equal digests on all hosts" digests_equal "$SPACE" "${LAB_HOSTS[@]}"

# held HOST KEY: what a host holds back of the space, as `status` says it.
held() { hb "$1" status --json | json_field "$2"; }
gave_up() { [[ $(held "$1" deletedAnchors) == 0 ]]; }
holds() { [[ $(held "$1" deletedAnchors) == "$2" ]]; }

# The third is away, edits what is there and what the others delete.
away=$(hb host1 members "$SPACE" --json | grep '"host3"' | json_field id)
peer_stop host3
hb host1 anchor delete "${notes[0]}" >/dev/null
hb host2 anchor delete "${notes[1]}" >/dev/null
hb host3 anchor set "${notes[1]}" unsent=1 >/dev/null
hb host3 anchor set "${notes[2]}" unsent=2 >/dev/null
for host in host1 host2; do
  within 10 "$host holds both deleted anchors back" holds "$host" 2
done
hb host1 status >"$SCRATCH/status"
check "status says for whom" grep -q "for $away .*waited for" "$SCRATCH/status"

hb host1 retire "$SPACE" host3 >/dev/null
check "to retire it again changes nothing" test "$(hb host1 retire "$SPACE" host3)" = "$away"
for host in host1 host2; do within 20 "$host gave them up" gave_up "$host"; done

peer_restart host3
within 20 "equal digests on all hosts" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
lives() { hb "$1" anchor list "$SPACE" --json | grep -c . | grep -qx 1; }
for host in "${LAB_HOSTS[@]}"; do check "$host has the one note that lives" lives "$host"; done
for host in "${LAB_HOSTS[@]}"; do
  hb "$host" anchor list "$SPACE" --json >"$SCRATCH/list"
  check "$host has the edit of it" grep -q '"unsent":2' "$SCRATCH/list"
done
hb host3 status >"$SCRATCH/status"
check "the third says that it joined" grep -q "^joined  *$SPACE" "$SCRATCH/status"
check "and what it edited and is deleted" \
  grep -q "edited here, deleted there: ${notes[1]} .*unsent" "$SCRATCH/status"
