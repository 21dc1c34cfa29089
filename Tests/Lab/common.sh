# What the lab tests share. Each test is a script that sources this file, calls `begin`, makes its
# checks, and ends with status 0 (passed), 1 (failed) or 77 (skipped, the reason is printed).
#
# Tests/run sets HYPERBASIS, the command to test, and HB_LAB_FORM, `namespaces` or `loopback`. Each
# test can be started by hand as well, as root: Tests/Lab/chain.sh
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
# shellcheck source=/dev/null
for part in progress lab loopback peers; do source "$ROOT/Demo/Lab/$part.sh"; done

HYPERBASIS=${HYPERBASIS:-$ROOT/.build/debug/hyperbasis}
HB_LAB_FORM=${HB_LAB_FORM:-namespaces}
SAMPLE_ROOM="$ROOT/Demo/rooms/sample-room.json"
REAL_ROOMS="$ROOT/../shared/data/roomplan"
SCRATCH=""
BACKGROUND=()

# What a test does in the end: `finish`, or something of its own that calls it.
FINISH=finish

# begin HOSTS: brings up the lab.
begin() {
  trap '$FINISH' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/hb-test.XXXXXX")
  if [[ $HB_LAB_FORM == namespaces ]]; then lab_up "$1"; else loopback_up "$1"; fi
}

need_namespaces() { [[ $HB_LAB_FORM == namespaces ]] || skip "it needs network namespaces"; }

skip() {
  printf '    skipped: %s\n' "$1"
  exit 77
}

finish() {
  local status=$? pid
  ((status == 0 || status == 77)) || show_logs
  for pid in "${BACKGROUND[@]}"; do kill "$pid" 2>/dev/null || true; done
  peers_stop
  lab_down
  [[ -z $SCRATCH ]] || rm -rf "$SCRATCH"
}

show_logs() {
  local host log
  for host in "${LAB_HOSTS[@]}"; do
    for log in "$(peer_log "$host")" "$(peer_log "$host").err"; do
      [[ -s $log ]] || continue
      printf '    --- %s, the last lines of %s\n' "$host" "${log##*/}"
      tail -n 8 "$log" | sed 's/^/    /'
    done
  done
}

note() { printf '    %s\n' "$*"; }

fail() {
  printf '    %sFAILED%s %s\n' "$RED" "$PLAIN" "$*"
  exit 1
}

# check WHAT COMMAND...: the command must succeed.
check() {
  local what=$1
  shift
  "$@" || fail "$what"
  note "ok: $what"
}

# within SECONDS WHAT COMMAND...: the command must succeed in time; the time it took is printed.
within() {
  local seconds=$1 what=$2 start
  shift 2
  start=$(milliseconds)
  lab_wait "$seconds" "$@" || fail "$what: not within $seconds s"
  note "ok: $what ($(($(milliseconds) - start)) ms, at most $seconds s)"
}

not() { ! "$@"; }

# A random identifier, in lower case, as the command prints them.
new_id() { cat /proc/sys/kernel/random/uuid; }

# new_space: makes a space on host1 that all other hosts join; its id is SPACE.
new_space() {
  local host
  SPACE=$(new_id)
  hb host1 space create "Test" --id "$SPACE" >/dev/null
  for host in "${LAB_HOSTS[@]:1}"; do hb "$host" space join "$SPACE" >/dev/null; done
}

# put HOST [ARGUMENTS...]: makes an anchor in SPACE; its id is PUT.
put() {
  local host=$1
  shift
  PUT=$(new_id)
  hb "$host" anchor put "$SPACE" --id "$PUT" --at 1.5,0,-2 "$@" >/dev/null
}

# Whether all named hosts print the same `anchor list`, in text and as JSON lines.
lists_equal() {
  local host form
  for form in "" --json; do
    for host in "$@"; do
      # shellcheck disable=SC2086
      hb "$host" anchor list "$SPACE" $form >"$SCRATCH/list.$host" || return 1
      [[ -s $SCRATCH/list.$host ]] || return 1
      cmp -s "$SCRATCH/list.$1" "$SCRATCH/list.$host" || return 1
    done
  done
}

has_anchor() { hb "$1" anchor list "$SPACE" --json | grep "$2" >/dev/null; }

# The rooms to import: the five real ones where they are, else the samples of the demo.
rooms() {
  if compgen -G "$REAL_ROOMS/scan-*.json" >/dev/null; then
    printf '%s\n' "$REAL_ROOMS"/scan-*.json
  else
    printf '%s\n' "$SAMPLE_ROOM" "$ROOT/Demo/rooms/sample-structure.json"
  fi
}
