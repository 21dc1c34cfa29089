#!/usr/bin/env bash
# H17: a real file system that gets full at a real write, a temporary directory with no room, and a
# file system that is read-only. The peer lives, refuses, goes on when there is room, and tells the other
# nothing that it did not keep.
source "$(dirname "$0")/common.sh"
need_namespaces
begin 2

# A small file system in the mount namespace of host1 alone.
disk="$SCRATCH/disk"
mkdir "$disk"
lab_on host1 mount -t tmpfs -o size=24m tmpfs "$disk"
on_disk() { lab_on host1 timeout --foreground 30 "$HYPERBASIS" "$@" --store "$disk/store"; }

# refused WHAT PATTERN COMMAND...: it fails with status 1 and says why.
refused() {
  local what=$1 pattern=$2 status=0
  shift 2
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  ((status == 1)) || fail "$what: status $status: $(head -c 300 "$SCRATCH/err")"
  grep -qiE "$pattern" "$SCRATCH/err" || fail "$what: $(head -c 300 "$SCRATCH/err")"
  note "ok: $what: $(head -c 120 "$SCRATCH/err")"
}

quietly() { "$@" >/dev/null; }
list_on_disk() { on_disk anchor list "$SPACE" --json; }
equal_lists() {
  list_on_disk >"$SCRATCH/one" && hb host2 anchor list "$SPACE" --json >"$SCRATCH/two" &&
    [[ -s $SCRATCH/one ]] && cmp -s "$SCRATCH/one" "$SCRATCH/two"
}
space_is_there() { on_disk space list | grep -q "$SPACE"; }

SPACE=$(new_id)
peer_start host2
hb host2 space create Test --id "$SPACE" >/dev/null
lab_on host1 "$HYPERBASIS" peer --store "$disk/store" --name host1 >"$SCRATCH/peer.log" 2>&1 &
BACKGROUND+=("$!")
is_answered() { on_disk status --json 2>/dev/null | grep -q '"running":true'; }
lab_wait 10 is_answered || fail "no peer on the small disk"
peer=$(pgrep -f "^[^ ]*hyperbasis peer --store $disk/store") || fail "the peer is not found"
BACKGROUND+=("$peer")
on_disk space join "$SPACE" >/dev/null
on_disk anchor put "$SPACE" --id "$(new_id)" --at 1,2,3 >/dev/null
within 20 "both have the first anchor" equal_lists

head -c 30000000 /dev/urandom >"$SCRATCH/map"
refused "a map that cannot fit" "no space is left" on_disk map set "$SPACE" "$SCRATCH/map"
bytes=$(lab_on host1 du -sb "$disk/store" | cut -f 1)
((bytes < 4000000)) || fail "the map was refused after $bytes bytes"
note "ok: it was refused before its first byte"

# Full: every edit is refused, each list is as it was, and the other hears nothing.
lab_on host1 dd if=/dev/zero of="$disk/ballast" bs=4k 2>/dev/null || true
text=$(head -c 40000 /dev/zero | tr '\0' x)
before=$(list_on_disk)
full=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
  if on_disk anchor put "$SPACE" --set "text=\"$text\"" >/dev/null 2>"$SCRATCH/err"; then
    before=$(list_on_disk)
  else
    grep -q "no space is left" "$SCRATCH/err" || fail "another error: $(cat "$SCRATCH/err")"
    full=$((full + 1))
    [[ $(list_on_disk) == "$before" ]] || fail "half of an edit is shown"
  fi
done
((full > 0)) || fail "the disk was never full"
note "ok: $full of 12 edits found the disk full and left nothing"
refused "an import on a full disk" "no space is left" on_disk import "$SPACE" "$SAMPLE_ROOM"
refused "a backup onto a full disk" "no space is left" on_disk backup "$disk/backup"
[[ -z $(lab_on host1 ls "$disk" | grep backup) ]] || fail "a part of a backup is left"
hb host2 anchor put "$SPACE" --set "text=\"$text\"" >/dev/null
kill -0 "$peer" || fail "the peer ended"

lab_on host1 rm "$disk/ballast"
check "an edit once there is room" quietly on_disk anchor put "$SPACE" --set "text=\"$text\""
within 40 "both are equal, without a restart" equal_lists

# Space is taken and given again, at the sizes of single pages.
for free in $(seq 1 12); do
  lab_on host1 dd if=/dev/zero of="$disk/ballast" bs=4k 2>/dev/null || true
  lab_on host1 truncate -s "-$((free * 4096))" "$disk/ballast"
  before=$(list_on_disk)
  if ! on_disk anchor put "$SPACE" --set "text=\"$text\"" >/dev/null 2>"$SCRATCH/err"; then
    grep -q "no space is left" "$SCRATCH/err" || fail "another error: $(cat "$SCRATCH/err")"
    [[ $(list_on_disk) == "$before" ]] || fail "half of an edit is shown at $free pages"
  fi
  lab_on host1 rm "$disk/ballast"
done
check "an edit after it all" quietly on_disk anchor put "$SPACE" --at 3,2,1
within 40 "both are equal" equal_lists
kill -0 "$peer" || fail "the peer ended"

# A killed peer opens again, although the disk is full.
lab_on host1 dd if=/dev/zero of="$disk/ballast" bs=4k 2>/dev/null || true
kill -9 "$peer"
on_disk anchor list "$SPACE" >/dev/null 2>"$SCRATCH/err" ||
  grep -qE "no space is left" "$SCRATCH/err" || fail "another error: $(cat "$SCRATCH/err")"
note "ok: opening on a full disk: $(head -c 120 "$SCRATCH/err")"
refused "a repair on a full disk" "no space is left" on_disk repair
lab_on host1 rm "$disk/ballast"
check "all is there" space_is_there

# A temporary directory without room.
tiny="$SCRATCH/tiny"
mkdir "$tiny"
lab_on host1 mount -t tmpfs -o size=4k tmpfs "$tiny"
lab_on host1 dd if=/dev/zero of="$tiny/ballast" bs=4k 2>/dev/null || true
in_tiny() {
  lab_on host1 env TMPDIR="$tiny" SQLITE_TMPDIR="$tiny" \
    "$HYPERBASIS" "$@" --store "$disk/store" >/dev/null
}
check "an import with no room for temporary files" in_tiny import "$SPACE" "$SAMPLE_ROOM"
check "a list" in_tiny anchor list "$SPACE"
check "a backup" in_tiny backup "$disk/backup"
check "a repair" in_tiny repair
check "all is there after the repair" space_is_there
lab_on host1 umount "$tiny"

# The whole file system is read-only.
lab_on host1 mount -o remount,ro "$disk"
refused "an edit of a read-only file system" "cannot be written" on_disk anchor put "$SPACE"
refused "a repair of it" "cannot be written" on_disk repair
lab_on host1 mount -o remount,rw "$disk"
check "an edit once it may be written" quietly on_disk anchor put "$SPACE" --at 1,1,1
lab_on host1 umount "$disk"
