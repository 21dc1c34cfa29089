#!/usr/bin/env bash
# What needs an avahi-daemon, on two hosts of the lab that this script makes and ends; prints lines of JSON.
#   discovery.sh BENCHMARKS TRACES FILES
# Tests/bench starts it where network namespaces can be had; nothing of it touches the machine's own network.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=/dev/null
source "$ROOT/Demo/Lab/lab.sh"
BENCHMARKS=$1
TRACES=$2
FILES=$3
WAITING=""

finish() {
  lab_end "$WAITING"
  lab_down
}

main() {
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  local host
  lab_up 2
  for host in "${LAB_HOSTS[@]}"; do lab_avahi_ready "$host"; done
  lab_on host1 timeout 120 "$BENCHMARKS" registration "$TRACES" "$FILES"
  lab_spawn host1 "$LAB_DIR/waiting" "$BENCHMARKS" wait "$TRACES" "$FILES"
  WAITING=$LAB_PID
  lab_on host2 timeout 120 "$BENCHMARKS" meeting "$TRACES" "$FILES" || {
    cat "$LAB_DIR/waiting.err" >&2
    exit 1
  }
}

main
