#!/bin/sh
# Creates a first project with one survey; the running nodes pick it up within seconds. Prints the keys as JSON; the
# secret key is never shown again. Set AFTERWORD_SERVER to run the program elsewhere than inside a node.
set -eu
server="${AFTERWORD_SERVER:-docker compose --file $(dirname "$0")/compose.yaml run --rm --no-TTY node-1}"

$server project create shop --json
$server apply - >&2 <<'CONFIG'
{ "projects": [{ "id": "shop", "name": "The shop", "allowedOrigins": ["https://shop.example"],
  "gating": { "quietPeriod": "30d" },
  "surveys": [{ "id": "satisfaction", "slug": "satisfaction", "type": "csat", "presentation": "corner", "trigger": "manual",
    "question": "How well did the agent do this task?", "status": "active" }] }] }
CONFIG
