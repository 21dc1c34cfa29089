#!/usr/bin/env bash
# Three hosts find one another; the real rooms imported on the first are the same on all.
source "$(dirname "$0")/common.sh"

begin 3
peers_up
within 15 "each host finds the two others" peers_connected 2 "${LAB_HOSTS[@]}"
new_space

mapfile -t files < <(rooms)
[[ ${files[0]} == "$REAL_ROOMS"/* ]] ||
  note "the real rooms (../shared/data/roomplan) are absent: the samples are used"
for file in "${files[@]}"; do
  hb host1 import "$SPACE" "$file" >/dev/null || fail "import of ${file##*/}"
done
within 10 "${#files[@]} rooms: equal digests on all hosts" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
check "equal anchor lists on all hosts" lists_equal "${LAB_HOSTS[@]}"
note "$(digest_line host3 "$SPACE" | json_field anchors) anchors on host3"

before=$(digest_line host1 "$SPACE")
for file in "${files[@]}"; do hb host1 import "$SPACE" "$file" >/dev/null; done
check "a second import writes nothing" test "$before" = "$(digest_line host1 "$SPACE")"

# The anchors as JSON lines, imported elsewhere, are the same anchors again.
hb host1 anchor list "$SPACE" --json >"$SCRATCH/anchors.jsonl"
hb host2 import "$SPACE" "$SCRATCH/anchors.jsonl" >/dev/null
check "importing one's own list writes nothing" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
