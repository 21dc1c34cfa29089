# The traces that the benchmark runs, made where they are not there. Source this file after progress.sh.
#
#   traces       makes them in TRACES, a directory; fails where they cannot be made, or are not what they have to be
#   traces_can   whether they are there, or can be made

GENERATOR=$ROOT/../shared/bench/gen_trace.py

traces() {
  if traces_checked; then return; fi
  if [[ ! -f $GENERATOR ]]; then
    printf 'The traces are missing, and ../shared/bench, which makes them, is absent.\n' >&2
    return 1
  fi
  progress "Making the traces" python3 "$GENERATOR" "$TRACES" || return 1
  traces_checked || { printf 'The traces are not what they have to be.\n' >&2 && return 1; }
}

traces_can() { traces_checked || [[ -f $GENERATOR ]]; }

traces_checked() {
  [[ -d $TRACES ]] && (cd "$TRACES" && sha256sum --check --status -) 2>/dev/null <<'SUMS'
f826fc098e73ad3556b3d60d3022c77d93d8b29a9bdb35c74df7819ddd65f594  w1.bin
1f3f001d09a6016870a6d57918bc0a081deb13719ec9f8b4862273b6fa696390  w2.bin
c8275f59feba16bc5bb112a36febf7f9dff7747f4b7c7093a855f918e595a11c  w3.bin
e64363e502731ea1453b041e84fd4918c26025ad122ec278b788a5be4a63c426  w5.bin
a71f08e78f4cfa5bb932bf2e1e6c569d653425b011390cd28fb69b8113b27dea  w7.bin
c3f2b95f78f60fda3a6dad2cbdbd44645ed1c1316a59302392dea69bf9e72b4d  w9.bin
SUMS
}
