#!/usr/bin/env bash
# Starts real observability servers on loopback for the tests in this folder, with all their data in one temporary
# folder: Arize Phoenix and MLflow from PyPI, and an OpenTelemetry collector from the Go module proxy.
#
#   eval "$(test/sinks/start-servers.sh)"        starts them and sets PHOENIX_BASE_URL, MLFLOW_BASE_URL, ...
#   vitest run --config test/vitest.config.ts --project sinks
#   test/sinks/start-servers.sh --stop           stops what SINK_SERVERS_FOLDER names and removes the folder
#
# A server that cannot be had here gets one line "skipped: ..." on stderr; with none of them the exit code is 1.
# SINK_SERVERS_CACHE=FOLDER keeps what was installed for the next time; SINK_SERVERS="phoenix" starts only that one.
set -uo pipefail

phoenix_version=20.26.1
mlflow_version=3.17.2
collector_version=v0.164.0
wanted=" ${SINK_SERVERS:-phoenix mlflow collector} "

say() { printf '%s\n' "$*" >&2; }
skip() { say "skipped: $*"; }

stop() {
  local folder=${SINK_SERVERS_FOLDER:-}
  [ -n "$folder" ] && [ -f "$folder/pids" ] || { say "SINK_SERVERS_FOLDER names no servers."; return 1; }
  local pid
  while read -r pid; do kill -TERM -- "-$pid" 2>/dev/null; done <"$folder/pids"
  while read -r pid; do
    for _ in $(seq 50); do kill -0 -- "-$pid" 2>/dev/null || continue 2; sleep 0.1; done
    kill -KILL -- "-$pid" 2>/dev/null
  done <"$folder/pids"
  rm -rf -- "$folder"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# background NAME COMMAND... : in a process group of its own, so that its workers can be stopped with it
background() {
  local name=$1
  shift
  setsid "$@" >"$folder/$name.log" 2>&1 </dev/null &
  echo $! >>"$folder/pids"
}

# ready NAME URL SECONDS : waits until it answers
ready() {
  local since=$SECONDS
  while [ $((SECONDS - since)) -lt "$3" ]; do
    if curl -fsS -m 2 -o /dev/null "$2" 2>/dev/null; then
      say "$1 answers after $((SECONDS - since)) s"
      return
    fi
    sleep 0.25
  done
  say "$1 did not answer within $3 s:"
  tail -n 20 "$folder/$1.log" >&2
  return 1
}

# install PACKAGE VERSION : into a virtual environment of its own, whose path is printed
install() {
  local environment=$installed/$1-$2 since=$SECONDS
  if [ ! -f "$environment/complete" ]; then
    rm -rf -- "$environment"
    python3 -m venv "$environment" >&2 &&
      "$environment/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 30 "$1==$2" >&2 &&
      touch "$environment/complete" || return 1
    say "$1 $2 installed in $((SECONDS - since)) s"
  fi
  printf '%s' "$environment"
}

start_phoenix() {
  local environment port
  environment=$(install arize-phoenix "$phoenix_version") || { skip "Phoenix: PyPI cannot be reached or has no arize-phoenix $phoenix_version"; return 1; }
  port=$(free_port)
  mkdir "$folder/phoenix"
  background phoenix env PHOENIX_WORKING_DIR="$folder/phoenix" PHOENIX_HOST=127.0.0.1 PHOENIX_PORT="$port" \
    PHOENIX_GRPC_PORT="$(free_port)" PHOENIX_TELEMETRY_ENABLED=false "$environment/bin/phoenix" serve
  ready phoenix "http://127.0.0.1:$port/v1/projects" 120 || return 2
  echo "export PHOENIX_BASE_URL=http://127.0.0.1:$port"
}

start_mlflow() {
  local environment port
  environment=$(install mlflow "$mlflow_version") || { skip "MLflow: PyPI cannot be reached or has no mlflow $mlflow_version"; return 1; }
  port=$(free_port)
  mkdir "$folder/mlflow"
  background mlflow env MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true "$environment/bin/mlflow" server \
    --backend-store-uri "sqlite:///$folder/mlflow/mlflow.db" --artifacts-destination "$folder/mlflow/artifacts" \
    --host 127.0.0.1 --port "$port" --workers 1
  ready mlflow "http://127.0.0.1:$port/health" 120 || return 2
  echo "export MLFLOW_BASE_URL=http://127.0.0.1:$port"
}

folder=
installed=

start() {
  command -v python3 >/dev/null && command -v curl >/dev/null || { skip "real servers: python3 and curl are needed"; return 1; }
  folder=$(mktemp -d "${TMPDIR:-/tmp}/sink-servers.XXXXXX")
  installed=${SINK_SERVERS_CACHE:-$folder/installed}
  mkdir -p "$installed"
  : >"$folder/pids"
  local server status started=0
  for server in phoenix mlflow collector; do
    case $wanted in *" $server "*) ;; *) continue ;; esac
    "start_$server"
    status=$?
    [ $status -eq 0 ] && started=$((started + 1))
    # A server that was installed and does not start is a fault, not a reason to skip.
    [ $status -eq 2 ] && { SINK_SERVERS_FOLDER=$folder stop; return 2; }
  done
  if [ $started -eq 0 ]; then
    rm -rf -- "$folder"
    return 1
  fi
  echo "export SINK_SERVERS_FOLDER=$folder"
}

case ${1:-} in
  --stop) stop ;;
  '') start ;;
  *) say "usage: start-servers.sh [--stop]"; exit 64 ;;
esac
