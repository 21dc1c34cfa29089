#!/usr/bin/env bash
# The demo itself, started by Demo/run in the form that lab_choose found:
#   show.sh COMMAND namespaces|loopback keep|end
# COMMAND is the path of the built `hyperbasis`.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
for part in progress lab loopback peers table; do source "$HERE/$part.sh"; done

HYPERBASIS=$1
FORM=$2
KEEP=$3
ROOM="$HERE/../rooms/sample-room.json"
SPACE=$(cat /proc/sys/kernel/random/uuid)
AWAY=host3

main() {
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  bring_up
  local step
  for step in meet import edit cut heal; do
    "step_$step" || differ
  done
  conclude
}

STAYING=""

finish() {
  [[ -z $STAYING ]] || kill "$STAYING" 2>/dev/null || true
  peers_stop
  lab_down
}

bring_up() {
  if [[ $FORM == namespaces ]]; then
    lab_up 3
  else
    loopback_up 3
    explain_loopback
  fi
  peers_up
}

explain_loopback() {
  if [[ $LOOPBACK_DISCOVERY == yes ]]; then
    printf 'An avahi-daemon that uses lo only lets them find one another.\n'
  else
    printf 'Without discovery, because %s: the peers are given addresses.\n' "$LOOPBACK_WHY"
  fi
}

step_meet() {
  local start host title="host1 makes a space, host2 and host3 join it"
  start=$(milliseconds)
  lab_wait 30 peers_connected 2 "${LAB_HOSTS[@]}" || lab_say "not every host has found two others"
  printf 'Every host has found the two others, %s ms after the last was started.\n' \
    $(($(milliseconds) - start))
  hb host1 space create Kitchen --id "$SPACE" >/dev/null
  for host in host2 host3; do hb "$host" space join "$SPACE" >/dev/null; done
  replicas_learn
  table_converge 15 "$title" "$SPACE"
}

step_import() {
  hb host1 import "$SPACE" "$ROOM" >/dev/null
  table_converge 15 "host1 imports a scanned kitchen" "$SPACE"
}

# One edit of an anchor that all see, at once on each host, and one new anchor each.
step_edit() {
  local shared host pids=() pid
  shared=$(first_anchor host1)
  for host in "${LAB_HOSTS[@]}"; do
    edit "$host" "$shared" "\"seen by $host\"" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
  table_converge 15 "all three edit at the same moment" "$SPACE"
}

first_anchor() { hb "$1" anchor list "$SPACE" --json | json_field id; }

# edit HOST ANCHOR JSON
edit() {
  hb "$1" anchor set "$2" "note=$3" "$1=true" >/dev/null
  hb "$1" anchor put "$SPACE" --at "1.5,0,-0.25" --set "placed_by=\"$1\"" >/dev/null
}

step_cut() {
  local shared host
  shared=$(first_anchor host1)
  cut_off
  for host in "${LAB_HOSTS[@]}"; do
    edit "$host" "$shared" "\"$host, while $AWAY was away\""
  done
  lab_wait 5 digests_equal "$SPACE" host1 host2 || true
  table "$AWAY is cut off; both sides go on editing" "$SPACE" \
    "$(cut_words)"
}

cut_words() {
  printf 'host1 and host2 agree, %s has its own edits' "$AWAY"
  [[ $FORM == loopback ]] || printf '; it may not have noticed the silent cut yet'
}

# On loopback there is no cable to cut: the peer is stopped, and its store is edited all the same.
cut_off() { if [[ $FORM == namespaces ]]; then lab_cut "$AWAY"; else peer_stop "$AWAY"; fi; }

step_heal() {
  if [[ $FORM == namespaces ]]; then lab_heal "$AWAY"; else peer_restart "$AWAY"; fi
  table_converge 15 "$AWAY is back" "$SPACE"
}

conclude() {
  local digest anchors line
  line=$(digest_line host1 "$SPACE")
  digest=$(json_field digest <<<"$line")
  anchors=$(json_field anchors <<<"$line")
  printf '\nconverged: %s hosts, %s anchors, digest %s\n' "${#LAB_HOSTS[@]}" "$anchors" "$digest"
  [[ $KEEP != keep ]] || stay
}

# Says which hosts differ from host1 and ends the demo.
differ() {
  local host first digest
  first=$(digest_of host1 "$SPACE") || first=none
  printf '\nnot converged: host1 has digest %s\n' "$first"
  for host in "${LAB_HOSTS[@]:1}"; do
    digest=$(digest_of "$host" "$SPACE") || digest=none
    [[ $digest == "$first" ]] || printf '  %s has digest %s\n' "$host" "$digest"
    tail -n 3 "$(peer_log "$host").err" 2>/dev/null | sed 's/^/    /' || true
  done
  exit 1
}

# Leaves the lab up and says how to use it.
stay() {
  local host
  trap 'exit 0' INT
  printf '\n%sThe lab stays up.%s The space is %s\n' "$BOLD" "$PLAIN" "$SPACE"
  for host in "${LAB_HOSTS[@]}"; do
    printf '\nOn %s, in another terminal%s:\n' "$host" "$(as_whom)"
    printf '  %s\n' "$(enter_words "$host")" \
      "hyperbasis anchor list $SPACE --store $(store_of "$host")" \
      "hyperbasis digest $SPACE --store $(store_of "$host")" \
      "hyperbasis anchor put $SPACE --at 1,0,2 --set 'color=\"red\"' --store $(store_of "$host")"
  done
  printf '\nEnd it with Enter or Ctrl-C, or from elsewhere with: kill %s\n' "$$"
  read -r && return
  lab_tied sleep infinity &
  STAYING=$!
  wait "$STAYING"
}

as_whom() { if [[ $FORM == namespaces ]] && ! in_user_namespace; then printf ', as root'; fi; }

# The line that opens a shell on a host, with the command in its path.
enter_words() {
  local words=()
  if [[ $FORM == namespaces ]]; then
    words=(nsenter --target "${LAB_HOLDER[$1]}")
    ! in_user_namespace || words+=(--user --preserve-credentials)
    words+=(--net --mount --uts)
  else
    words=(env "DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SYSTEM_BUS_ADDRESS")
  fi
  printf '%s env PATH="%s:$PATH" bash' "${words[*]}" "$(dirname "$HYPERBASIS")"
}

# Whether this script is in another user namespace than the terminal; Demo/run notes the latter.
in_user_namespace() {
  local own
  own=$(readlink /proc/self/ns/user)
  [[ ${HYPERBASIS_OUTER_USER:-$own} != "$own" ]]
}

main
