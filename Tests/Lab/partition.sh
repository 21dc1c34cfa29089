#!/usr/bin/env bash
# One host is cut off, both sides edit, the cut is healed: equal again within 5 seconds. Once with
# packets lost in silence and once with the carrier lost. HB_CUT_SECONDS is how long each cut lasts.
source "$(dirname "$0")/common.sh"

need_namespaces
begin 3
peers_up
new_space
while read -r room; do hb host1 import "$SPACE" "$room" </dev/null >/dev/null; done < <(rooms)
within 15 "equal before the cut" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
put host1
shared=$PUT
within 5 "host3 has the shared anchor" has_anchor host3 "$shared"

# cut_and_heal FORM: FORM is lab_cut or lab_unplug.
cut_and_heal() {
  local host pass made=()
  "$1" host3
  check "$1: host3 cannot be reached" not lab_reaches host1 host3
  for pass in 1 2 3; do
    for host in "${LAB_HOSTS[@]}"; do
      hb "$host" anchor set "$shared" "note=\"$host $1 $pass\"" "$host=$pass" >/dev/null
      put "$host" --set "by=\"$host\""
      made+=("$PUT")
    done
  done
  sleep "${HB_CUT_SECONDS:-8}"
  within 5 "$1: host1 and host2 agree" digests_equal "$SPACE" host1 host2
  check "$1: host3 differs from them" not digests_equal "$SPACE" host1 host3
  lab_heal host3
  within 5 "$1: equal again after the heal" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
  check "$1: equal anchor lists" lists_equal "${LAB_HOSTS[@]}"
  for PUT in "${made[@]}"; do has_anchor host1 "$PUT" || fail "$1: an edit is lost"; done
  note "ok: $1: all ${#made[@]} anchors made during the cut are there"
}

cut_and_heal lab_cut
cut_and_heal lab_unplug
