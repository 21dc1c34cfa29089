#!/usr/bin/env bash
# How long an edit takes from the start of the command on host1 to the event at host2: the median of
# 200 is less than 50 ms. HB_LATENCY_EDITS is how many are made.
source "$(dirname "$0")/common.sh"

begin 3
peers_up
new_space
put host1
within 15 "host2 has the anchor" has_anchor host2 "$PUT"

# The store is reached through its socket, which is a file, so the tool runs outside of the hosts.
"$(dirname "$HYPERBASIS")/latency" "$HYPERBASIS" "$(store_of host1)" "$PUT" "$(peer_log host2)" \
  "${HB_LATENCY_EDITS:-200}" 50 >"$SCRATCH/latency" || fail "$(cat "$SCRATCH/latency")"
note "ok: $(cat "$SCRATCH/latency")"
within 5 "equal digests" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
