#!/usr/bin/env bash
# H18: who has a store open has it alone. A process that is stopped in mid-write keeps it, others are refused
# in time and clearly; one that is killed leaves it at once, with all that returned.
source "$(dirname "$0")/common.sh"
begin 1
store=$(store_of host1)
new_space

# refused WHAT SECONDS COMMAND...: it fails with "in use" or "did not answer", within so many seconds.
refused() {
  local what=$1 seconds=$2 start status=0
  start=$(milliseconds)
  shift 2
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  local took=$(($(milliseconds) - start))
  ((status == 1)) || fail "$what: status $status: $(cat "$SCRATCH/err")"
  grep -qE "in use|did not answer" "$SCRATCH/err" || fail "$what: $(cat "$SCRATCH/err")"
  ((took <= seconds * 1000)) || fail "$what: it took $took ms"
  note "ok: $what ($took ms): $(head -c 140 "$SCRATCH/err")"
}

peer_start host1 --no-discovery
peer=${PEER[host1]}
refused "a second peer" 8 timeout 20 "$HYPERBASIS" peer --no-discovery --store "$store"
refused "a repair beside a peer" 8 timeout 20 "$HYPERBASIS" repair --store "$store"

# Stopped in mid-write: edits go on until it no longer answers.
returned=0
for round in 1 2 3; do
  (for _ in $(seq 200); do hb host1 anchor put "$SPACE" >/dev/null 2>&1 || break; done) &
  editor=$!
  sleep "0.$((round * 3))"
  kill -STOP "$peer"
  refused "a second peer beside one that is stopped" 14 \
    timeout 30 "$HYPERBASIS" peer --no-discovery --store "$store"
  refused "a repair beside one that is stopped" 14 timeout 30 "$HYPERBASIS" repair --store "$store"
  kill -CONT "$peer"
  wait "$editor" || true
  returned=$(hb host1 anchor list "$SPACE" --json | wc -l)
  ((returned > 0)) || fail "nothing is there"
done
check "an edit after it goes on" put host1

# Killed while stopped: the lock goes at once, what returned is there.
count=$(hb host1 anchor list "$SPACE" --json | wc -l)
kill -STOP "$peer"
kill -9 "$peer"
opens() { hb host1 anchor list "$SPACE" --json >/dev/null; }
within 3 "the next opener has the store" opens
(($(hb host1 anchor list "$SPACE" --json | wc -l) == count)) || fail "an edit is lost"

# Two processes that both want it, for a while: each waits its turn, no edit is lost, none is twice.
both() { local n; for n in $(seq 40); do hb host1 anchor put "$SPACE" >/dev/null || return 1; done; }
both &
BACKGROUND=("$!")
both &
BACKGROUND+=("$!")
for commands in "${BACKGROUND[@]}"; do check "40 edits beside 40 others" wait "$commands"; done
BACKGROUND=()
(($(hb host1 anchor list "$SPACE" --json | wc -l) == count + 80)) || fail "not all 80 edits are there"
note "ok: all 80 are there"
