#!/usr/bin/env bash
# What must not end a peer or spoil a command: output that nobody reads, and commands beside a start.
source "$(dirname "$0")/common.sh"

begin 1
store=$(store_of host1)
SPACE=$(new_id)
hb host1 space create Test --id "$SPACE" >/dev/null

answers() { hb host1 status --json | grep -q '"running":true'; }

# A peer whose events nobody reads: the reader ends after the first line.
mkfifo "$SCRATCH/events"
head -n 1 "$SCRATCH/events" >/dev/null &
lab_spawn host1 "$SCRATCH/events" "$HYPERBASIS" peer --store "$store" --no-discovery --json
PEER[host1]=$LAB_PID
within 10 "a peer runs" answers
for _ in 1 2 3 4 5; do put host1; done
check "the peer goes on when nobody reads its events" answers
check "the edit is there" has_anchor host1 "$PUT"

# refused WHAT COMMAND...: status 1 and no more than one line on standard error.
refused() {
  local what=$1 status=0
  shift
  "$@" 2>"$SCRATCH/err" || status=$?
  ((status == 1)) || fail "$what: status $status, expected 1"
  (($(wc -l <"$SCRATCH/err") <= 1)) || fail "$what: $(cat "$SCRATCH/err")"
  note "ok: $what: $(cat "$SCRATCH/err")"
}

into_full() { hb host1 "$@" >/dev/full; }
refused "a list on a full disk" into_full anchor list "$SPACE"
refused "an edit whose id cannot be printed" into_full anchor put "$SPACE"

peer_stop host1

# A peer that starts and ends while commands come and go: each question and each edit works.
count() { hb host1 anchor list "$SPACE" --json | wc -l; }
before=$(count)
beside() {
  local n
  for n in $(seq 60); do hb host1 "$@" >/dev/null || return 1; done
}
beside status &
BACKGROUND+=("$!")
beside anchor list "$SPACE" &
BACKGROUND+=("$!")
beside anchor put "$SPACE" &
BACKGROUND+=("$!")
for _ in 1 2 3 4 5 6 7 8 9 10; do
  peer_start host1 --no-discovery || fail "a peer does not start beside commands"
  peer_stop host1
done
for commands in "${BACKGROUND[@]}"; do
  check "the commands beside it all worked" wait "$commands"
done
BACKGROUND=()
after=$(count)
((after == before + 60)) || fail "$((after - before)) of 60 edits are there"
