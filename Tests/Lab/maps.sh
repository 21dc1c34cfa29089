#!/usr/bin/env bash
# A world map of 50 MB goes from host1 to two others, whole and equal, while edits go on; then a second
# one, with links that are cut and a receiver that is killed: little of it is fetched again.
# HB_MAP_BYTES is the size, HB_MAP_EDITS how many edits are made meanwhile, HB_MAP_RATE the rate of the
# cables where the system can limit it.
source "$(dirname "$0")/common.sh"

bytes=${HB_MAP_BYTES:-50000000}
edits=${HB_MAP_EDITS:-25}
rate=${HB_MAP_RATE:-50mbit}
begin 3
peers_up
new_space
put host1
within 15 "host2 and host3 have the space" digests_equal "$SPACE" "${LAB_HOSTS[@]}"

map_field() { hb "$1" map status "$SPACE" --json 2>/dev/null | json_field "$2"; }
is_whole() { [[ $(map_field "$1" whole) == true && $(map_field "$1" map) == "$MAP" ]]; }
has_part() { (($(map_field "$1" verified) >= $2)); }

# set_map FILE: a new map of random bytes in force on host1; MAP is its id, SUM that of its bytes.
set_map() {
  head -c "$bytes" /dev/urandom >"$1"
  SUM=$(sha256sum <"$1")
  MAP=$(hb host1 map set "$SPACE" "$1")
}

# Whether HOST gives out the same bytes.
same_map() {
  hb "$1" map get "$SPACE" "$SCRATCH/got.$1" >/dev/null || return 1
  [[ $(sha256sum <"$SCRATCH/got.$1") == "$SUM" ]] || return 1
  rm -f "$SCRATCH/got.$1"
}

# Limits the rate of what each host sends; with no queue to speak of, as a switch has.
limit_rate() {
  local host
  [[ $HB_LAB_FORM == namespaces ]] || { note "skipped: the rate is not limited on loopback" && return 1; }
  command -v tc >/dev/null || { note "skipped: no rate limit, tc is not installed" && return 1; }
  for host in "${LAB_HOSTS[@]}"; do
    lab_on "$host" tc qdisc replace dev eth0 root tbf rate "$rate" burst 128kb latency 20ms \
      2>"$SCRATCH/tc" || { note "skipped: no rate limit: $(head -n 1 "$SCRATCH/tc")" && return 1; }
  done
  note "the hosts send at $rate at most from here on"
}

free_rate() { for host in "${LAB_HOSTS[@]}"; do lab_on "$host" tc qdisc del dev eth0 root; done; }

# Whether other programs leave this machine too little for times to mean anything.
is_busy() {
  local load
  read -r load _ </proc/loadavg
  ((${load%%.*} > 2 * $(nproc)))
}

# edits_during WHAT: makes edits on host1 while host2 gets a map, and prints how long they took: the
# median is less than 100 ms.
edits_during() {
  local line status=0 when="the map came meanwhile"
  line=$("$(dirname "$HYPERBASIS")/latency" "$HYPERBASIS" "$(store_of host1)" "$PUT" \
    "$(peer_log host2)" "$edits" 100) || status=$?
  line=${line/latency: /}
  is_whole host2 || when="the map was on its way all the while"
  if ((status == 0)); then
    note "ok: $1: $line; $when"
  elif is_busy; then
    note "skipped: $1: the machine is busy with other things: $line"
  else
    fail "$1: $line"
  fi
}

set_map "$SCRATCH/map"
edits_during "edits while a map goes over a cable without limit"
within 60 "the map is whole on host2 and host3" eval "is_whole host2 && is_whole host3"
for host in "${LAB_HOSTS[@]}"; do check "the same bytes on $host" same_map "$host"; done

limited=no
if limit_rate; then
  limited=yes
  set_map "$SCRATCH/map"
  lab_wait 10 has_part host2 1 || fail "nothing of the map comes"
  check "host2 can open the map before it" hb host2 map get "$SPACE" "$SCRATCH/old" --last
  edits_during "edits while a map goes over cables of $rate"
  within 60 "the map is whole on host2 and host3" eval "is_whole host2 && is_whole host3"
  free_rate
fi

# The receiver is alone in lacking something from here on, so what the others give is what it fetches.
peer_stop host3
set_map "$SCRATCH/map"
within 60 "a third map is whole on host2" is_whole host2
served=$(($(map_field host1 served) + $(map_field host2 served)))
[[ $limited == no ]] || limit_rate
peer_restart host3

for share in 10 25; do
  lab_wait 60 has_part host3 $((bytes * share / 100)) || fail "host3 does not get $share %"
  peer_kill host3
  note "host3 killed after $share % at least"
  peer_restart host3
done
if [[ $HB_LAB_FORM == namespaces ]]; then
  for share in 40 55 70; do
    lab_wait 60 has_part host3 $((bytes * share / 100)) || fail "host3 does not get $share %"
    lab_cut host3
    note "host3 cut off after $(map_field host3 verified) bytes"
    # Twice long enough for its links to end.
    sleep $((share == 55 ? 1 : 10))
    lab_heal host3
  done
fi
within 90 "the map is whole on host3" is_whole host3
check "the same bytes on host3" same_map host3
again=$(($(map_field host1 served) + $(map_field host2 served) - served - bytes))
note "fetched again: $again of $bytes bytes"
((again < bytes / 4)) || fail "much was fetched again"
within 10 "equal digests" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
