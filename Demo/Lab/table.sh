# The table that the demo prints after each step. Source this file after progress.sh and peers.sh.

TABLE_STEP=0

# table TITLE SPACE [RESULT]: one row for each host, and the result under them.
table() {
  local host
  TABLE_STEP=$((TABLE_STEP + 1))
  printf '\n%s%d. %s%s\n' "$BOLD" "$TABLE_STEP" "$1" "$PLAIN"
  printf '   %s%-6s  %5s  %7s  %-8s  %s%s\n' "$DIM" \
    host peers anchors digest "vector (how many changes of each host)" "$PLAIN"
  for host in "${LAB_HOSTS[@]}"; do table_row "$host" "$2"; done
  [[ -z ${3:-} ]] || printf '   %s\n' "$3"
}

table_row() {
  local line digest anchors vector
  line=$(digest_line "$1" "$2") || line=""
  digest=$(json_field digest <<<"$line") || digest="none"
  anchors=$(json_field anchors <<<"$line") || anchors="-"
  vector=$(vector_of <<<"$line") || vector="-"
  printf '   %-6s  %5s  %7s  %-8s  %s\n' \
    "$1" "$(peers_of "$1")" "$anchors" "${digest:0:8}" "$vector"
}

# table_converge SECONDS TITLE SPACE: waits until all hosts give the same digest, then prints the
# table with the time that it took. Fails when the time runs out.
table_converge() {
  local start took
  start=$(milliseconds)
  if lab_wait "$1" digests_equal "$3" "${LAB_HOSTS[@]}"; then
    took=$(($(milliseconds) - start))
    table "$2" "$3" "${GREEN}all equal, $took ms after the last command${PLAIN}"
  else
    table "$2" "$3" "${RED}not equal after $1 s${PLAIN}"
    return 1
  fi
}
