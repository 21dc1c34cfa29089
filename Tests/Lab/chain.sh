#!/usr/bin/env bash
# host1 and host3 cannot reach each other; they converge through host2.
source "$(dirname "$0")/common.sh"

need_namespaces
begin 3
lab_chain
check "host1 reaches host2" lab_reaches host1 host2
check "host3 reaches host2" lab_reaches host3 host2
check "host1 does not reach host3" not lab_reaches host1 host3

peers_up
within 15 "host2 finds both others" peers_connected 2 host2
check "host1 and host3 have one peer each" peers_connected 1 host1 host3
new_space
hb host1 import "$SPACE" "$SAMPLE_ROOM" >/dev/null
within 10 "what host1 imports reaches host3" digests_equal "$SPACE" "${LAB_HOSTS[@]}"

put host3 --set 'color="blue"'
within 5 "an edit of host3 reaches host1" has_anchor host1 "$PUT"
put host1 --set 'color="red"'
within 5 "an edit of host1 reaches host3" has_anchor host3 "$PUT"
within 5 "equal digests at the end" digests_equal "$SPACE" "${LAB_HOSTS[@]}"
check "equal anchor lists at the end" lists_equal "${LAB_HOSTS[@]}"
