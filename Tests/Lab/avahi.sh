#!/usr/bin/env bash
# avahi-daemon and D-Bus are absent, come, go and come again.
source "$(dirname "$0")/common.sh"

need_namespaces
begin 3
lab_avahi_stop host1
lab_avahi_stop host3
lab_dbus_stop host3

says_unavailable() {
  hb "$1" status --json >"$SCRATCH/status" && hb "$1" status >>"$SCRATCH/status" &&
    grep -qiE '"discovery".*unavailable' "$SCRATCH/status" &&
    grep -qiE 'discovery.*(avahi|daemon|bus)' "$SCRATCH/status"
}
says_available() {
  hb "$1" status --json >"$SCRATCH/status" &&
    ! grep -qiE '"discovery".*unavailable' "$SCRATCH/status"
}
# How often a peer said that another was gone.
gone() { grep -cE '"state" *: *"gone"' "$(peer_log "$1")" || true; }

peer_start host2
peer_start host1 --connect "$(lab_address host2):$(peer_port host2)"
peer_start host3
within 10 "no avahi-daemon: host1 says discovery is unavailable, and why" says_unavailable host1
within 10 "no message bus: host3 says so too" says_unavailable host3
within 10 "--connect works without discovery" peers_connected 1 host1
check "host3 is alone" peers_connected 0 host3

new_space
put host1 --set 'color="red"'
within 5 "an edit crosses the link that was asked for" has_anchor host2 "$PUT"
put host3
check "host3 edits alone" has_anchor host3 "$PUT"

lab_dbus_start host3
lab_avahi_start host3
within 15 "bus and daemon come: host3 finds host2 by itself" peers_connected 1 host3
check "host3 says discovery is available" says_available host3
lab_avahi_start host1
within 15 "the daemon comes: all three find one another" peers_connected 2 "${LAB_HOSTS[@]}"
within 5 "equal digests" digests_equal "$SPACE" "${LAB_HOSTS[@]}"

lost="$(gone host1) $(gone host2) $(gone host3)"
for pass in 1 2 3; do
  lab_avahi_stop host2
  sleep 0.5
  lab_avahi_start host2
  sleep 1
done
put host2
within 5 "daemon of host2 restarted $pass times: edits still flow" has_anchor host3 "$PUT"
lab_avahi_stop host2
lab_dbus_stop host2
sleep 1
put host2
within 5 "bus and daemon of host2 gone: edits still flow" has_anchor host1 "$PUT"
lab_dbus_start host2
lab_avahi_start host2
sleep 3
check "no link was lost meanwhile" test "$lost" = "$(gone host1) $(gone host2) $(gone host3)"
check "each host has its two peers, once each" peers_connected 2 "${LAB_HOSTS[@]}"

peer_stop host3
within 35 "host3 stops: the others see it gone" peers_connected 1 host1 host2
peer_start host3
within 15 "a new peer is found after the restarts" peers_connected 2 "${LAB_HOSTS[@]}"
