#!/usr/bin/env bash
# pin-bases.sh DOCKERFILE... : gives each base image of the Dockerfiles the digest that its tag has now, as crane reads it from
# the registry. The release does this in its own checkout; no digest is written by hand or committed. If one cannot be read, no
# file is changed.
set -euo pipefail
fail() { printf '%s\n' "$*" >&2; exit 1; }
[ $# -gt 0 ] || fail "usage: pin-bases.sh DOCKERFILE..."
edits=()
while read -r image; do
  digest=$(crane digest "$image" 2>/dev/null) || fail "$image: its registry names no digest. Check the tag in the FROM line, and the network."
  edits+=(-e "s|^(FROM) $image( .*)?$|\1 $image@$digest\2|")
  printf '%s@%s\n' "$image" "$digest"
done < <(awk '$1 == "FROM" { if (!($2 in stages) && $2 !~ /@sha256:/) print $2; if ($3 == "AS") stages[$4] }' "$@" | sort --unique)
[ ${#edits[@]} -eq 0 ] || sed --regexp-extended --in-place "${edits[@]}" "$@"
