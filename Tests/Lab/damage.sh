#!/usr/bin/env bash
# H19: files of a store are damaged while nobody has it open. Each command ends in time with a typed error
# or a result, a peer starts or says why not, and after `hyperbasis repair` both hosts are equal again.
source "$(dirname "$0")/common.sh"
begin 2
peers_up
new_space
for number in $(seq 20); do put host1 --set "n=$number"; done
hb host1 import "$SPACE" "$SAMPLE_ROOM" >/dev/null
within 20 "both hosts are equal" lists_equal host1 host2
peer_stop host1
store=$(store_of host1)
cp -r "$store" "$SCRATCH/good"

# damage NAME: one way to damage the closed store.
damage() {
  local file="$store/store.sqlite" size
  size=$(stat -c %s "$file")
  case $1 in
    byte) printf '\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null ;;
    header) dd if=/dev/urandom of="$file" bs=512 count=1 conv=notrunc 2>/dev/null ;;
    page*) dd if=/dev/zero of="$file" bs=4096 seek="${1#page}" count=1 conv=notrunc 2>/dev/null ;;
    cut) truncate -s $((size * 2 / 3)) "$file" ;;
    text) printf 'no database %.0s' $(seq 500) >"$file" ;;
    empty) rm -f "$store"/store.sqlite* ;;
    lock) printf text >"$store/lock" ;;
  esac
}

repaired_or_new() {
  hb host1 repair >"$SCRATCH/repair" 2>"$SCRATCH/err" ||
    grep -qE "no store to repair|newer Hyperbasis" "$SCRATCH/err" || fail "repair: $(cat "$SCRATCH/err")"
}

for how in byte header page1 page2 page4 page7 page9 cut text empty lock; do
  rm -rf "$store"
  cp -r "$SCRATCH/good" "$store"
  damage "$how"
  status=0
  hb host1 status >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  ((status <= 1)) || fail "$how: status ends with $status: $(cat "$SCRATCH/err")"
  repaired_or_new
  [[ $how == empty ]] || compgen -G "$store/damaged-*.sqlite" >/dev/null || fail "$how: nothing is kept"
  peer_start host1 || fail "$how: no peer starts after the repair"
  hb host1 space join "$SPACE" >/dev/null || fail "$how: the space cannot be joined"
  within 30 "$how: both hosts are equal after a repair" lists_equal host1 host2
  put host1
  within 20 "$how: an edit goes to the other" has_anchor host2 "$PUT"
  peer_stop host1
done

# A repair that is killed leaves the old store, or one that the next opening completes.
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
  rm -rf "$store"
  cp -r "$SCRATCH/good" "$store"
  damage page2
  hb host1 repair >/dev/null 2>&1 &
  sleep "0.$(printf %03d $((round * 12)))"
  pkill -9 -f "^[^ ]*hyperbasis repair --store $store" || true
  wait "$!" || true
  hb host1 status >/dev/null 2>&1 || true
  repaired_or_new
  compgen -G "$store/damaged-*.sqlite" >/dev/null || fail "nothing is kept"
done
peer_start host1
within 30 "both hosts are equal after repairs that were killed" lists_equal host1 host2

# The log of a peer that was killed is damaged: it goes on as another replica, and no number is given twice.
for place in 3000 9000; do
  for number in $(seq 6); do put host1 --set "n=$number"; done
  within 20 "the edits of host1 are on host2" lists_equal host1 host2
  peer_kill host1
  log="$store/store.sqlite-wal"
  printf '\125' | dd of="$log" bs=1 seek=$(($(stat -c %s "$log") - place)) conv=notrunc 2>/dev/null
  peer_restart host1 || fail "the peer does not start with a damaged log"
  hb host1 status >"$SCRATCH/out" 2>&1 || fail "status: $(cat "$SCRATCH/out")"
  grep -q "its log damaged" "$SCRATCH/out" || fail "status does not say that the log is damaged: $(cat "$SCRATCH/out")"
  compgen -G "$store/damaged-*-wal" >/dev/null || fail "the damaged log is not kept"
  put host1
  within 20 "an edit after the damage goes to the other" has_anchor host2 "$PUT"
  within 30 "both hosts are equal after the log of host1 was damaged" lists_equal host1 host2
done
