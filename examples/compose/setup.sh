#!/bin/sh
# Creates a first project with one survey; the running nodes pick it up within seconds. Prints the keys as JSON; the
# secret key is never shown again. Set AFTERWORD_SERVER to run the program elsewhere than inside a node.
set -eu
server="${AFTERWORD_SERVER:-docker compose --file $(dirname "$0")/compose.yaml run --rm --no-TTY node-1}"

$server project create shop --name "The shop" --origin https://shop.example --quiet-period 30d --json
$server survey import shop - --status active >&2 <<'SURVEY'
{ "id": "satisfaction", "slug": "satisfaction", "type": "csat", "presentation": "corner", "trigger": "manual",
  "question": "How well did the agent do this task?" }
SURVEY
