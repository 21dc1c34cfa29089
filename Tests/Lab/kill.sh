#!/usr/bin/env bash
# A peer is killed with SIGKILL in mid-edit, many times: no edit whose command returned is lost, here
# or elsewhere. HB_KILL_ROUNDS is how many times, with a peer and without.
source "$(dirname "$0")/common.sh"

rounds=${HB_KILL_ROUNDS:-10}
begin 3
peers_up
new_space
put host1
counter=$PUT
returned="$SCRATCH/returned"
: >"$returned"
echo 0 >"$SCRATCH/counted"

# Edits host1 until a command fails or the file `stop` appears, and notes what returned.
edit_on() {
  local id count
  while [[ ! -e $SCRATCH/stop ]]; do
    id=$(new_id)
    hb host1 anchor put "$SPACE" --id "$id" --at 0,1,0 >/dev/null 2>&1 || return 0
    printf '%s\n' "$id" >>"$returned"
    count=$(($(cat "$SCRATCH/counted") + 1))
    hb host1 anchor set "$counter" "count=$count" >/dev/null 2>&1 || return 0
    echo "$count" >"$SCRATCH/counted"
  done
}

# Whether HOST has every edit that returned.
has_all() {
  local count
  hb "$1" anchor list "$SPACE" --json >"$SCRATCH/have" || return 1
  sed -E 's/.*"id" *: *"([0-9a-f-]{36})".*/\1/' "$SCRATCH/have" | sort >"$SCRATCH/ids"
  [[ -z $(sort "$returned" | comm -23 - "$SCRATCH/ids") ]] || return 1
  count=$(grep "\"$counter\"" "$SCRATCH/have" | json_field count) || count=0
  ((${count%%.*} >= $(cat "$SCRATCH/counted")))
}

# Milliseconds as seconds.
seconds() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }

# A pause of 0.1 to 0.6 seconds.
pause() { sleep "0.$((RANDOM % 500 + 100))"; }

start_editing() {
  rm -f "$SCRATCH/stop"
  edit_on &
  EDITOR_PID=$!
  BACKGROUND=("$EDITOR_PID")
}

for ((round = 1; round <= rounds; round++)); do
  start_editing
  pause
  touch "$SCRATCH/stop"
  peer_kill host1
  wait "$EDITOR_PID"
  peer_restart host1 || fail "round $round: the peer does not start again"
  has_all host1 || fail "round $round: an edit that returned is lost on host1"
done
note "ok: the peer killed $rounds times in mid-edit: $(wc -l <"$returned") anchors returned, all there"

# The same for a command that opens the store itself, killed at any moment of its usual time.
peer_stop host1
start=$(milliseconds)
put host1
usual=$((($(milliseconds) - start) * 6 / 5 + 1))
for ((round = 1; round <= rounds; round++)); do
  id=$(new_id)
  if lab_on host1 timeout -s KILL "$(seconds $((RANDOM % usual + 1)))" "$HYPERBASIS" anchor put "$SPACE" \
    --id "$id" --at 0,2,0 --store "$(store_of host1)" >/dev/null 2>&1; then
    printf '%s\n' "$id" >>"$returned"
  fi
  has_all host1 || fail "round $round: an edit that returned is lost after a killed command"
done
note "ok: $rounds commands killed with no peer running"

peer_restart host1
within 15 "all hosts are equal" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
for host in host2 host3; do check "$host has every edit that returned" has_all "$host"; done
