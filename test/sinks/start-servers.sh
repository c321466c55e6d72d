#!/usr/bin/env bash
# Starts real observability servers on loopback for the tests in this folder, with all their data in one temporary
# folder: Arize Phoenix and MLflow from PyPI, and an OpenTelemetry collector from the Go module proxy. Beside them it
# installs Opik's own client, which is too heavy for each fresh clone.
#
#   eval "$(test/sinks/start-servers.sh)"        starts them and sets PHOENIX_BASE_URL, MLFLOW_BASE_URL, ...
#   vitest run --config test/vitest.config.ts --project sinks
#   test/sinks/start-servers.sh --stop           stops what SINK_SERVERS_FOLDER names and removes the folder
#
# A server that cannot be had here gets one line "skipped: ..." on stderr; with none of them the exit code is 1. One
# that was installed and does not start is a fault: the exit code is 2.
# SINK_SERVERS_CACHE=FOLDER keeps what was installed for the next time; SINK_SERVERS="phoenix" starts only that one.
set -uo pipefail

phoenix_version=20.26.1
mlflow_version=3.17.2
uv_version=0.13.8
# The newest whose every module the Go module proxy hands out, with the one of the providers that goes with it.
collector_version=v0.116.0
provider_version=v1.22.0
opik_version=2.0.40
wanted=" ${SINK_SERVERS:-phoenix mlflow collector opik} "

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

# ready NAME SECONDS CURL-ARGUMENTS... : waits until it answers
ready() {
  local name=$1 seconds=$2 since=$SECONDS
  shift 2
  while [ $((SECONDS - since)) -lt "$seconds" ]; do
    if curl -fsS -m 2 -o /dev/null "$@" 2>/dev/null; then
      say "$name answers after $((SECONDS - since)) s"
      return
    fi
    sleep 0.25
  done
  say "$name did not answer within $seconds s:"
  tail -n 20 "$folder/$name.log" >&2
  return 1
}

# packages ENVIRONMENT REQUIREMENT : by uv, which takes a third of the time, or by pip where only pip knows the way to PyPI
packages() {
  local pip=("$1/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 30)
  "${pip[@]}" "uv==$uv_version" && "$1/bin/uv" pip install --quiet --no-cache --python "$1/bin/python" "$2" && return
  "${pip[@]}" "$2"
}

# install PACKAGE VERSION : into a virtual environment of its own, whose path is printed
install() {
  local environment=$installed/$1-$2 since=$SECONDS
  if [ ! -f "$environment/complete" ]; then
    rm -rf -- "$environment"
    { python3 -m venv "$environment" && packages "$environment" "$1==$2"; } >"$folder/$1-install.log" 2>&1 || return 1
    touch "$environment/complete"
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
  ready phoenix 300 "http://127.0.0.1:$port/v1/projects" || return 2
  echo "export PHOENIX_BASE_URL=http://127.0.0.1:$port"
}

start_mlflow() {
  local environment port
  environment=$(install mlflow "$mlflow_version") || { skip "MLflow: PyPI cannot be reached or has no mlflow $mlflow_version"; return 1; }
  port=$(free_port)
  mkdir "$folder/mlflow"
  background mlflow env MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false \
    "$environment/bin/mlflow" server \
    --backend-store-uri "sqlite:///$folder/mlflow/mlflow.db" --artifacts-destination "$folder/mlflow/artifacts" \
    --host 127.0.0.1 --port "$port" --workers 1
  ready mlflow 300 "http://127.0.0.1:$port/health" || return 2
  echo "export MLFLOW_BASE_URL=http://127.0.0.1:$port"
}

# What it receives it sends on, as JSON, to a port that the test listens on.
collector_config() { # RECEIVER-PORT EXPORT-PORT
  cat <<CONFIG
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:$1" } } } }
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:$2
    encoding: json
    compression: none
    sending_queue: { enabled: false }
    retry_on_failure: { enabled: false }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { logs: { receivers: [otlp], exporters: [otlphttp] } }
CONFIG
}

build_collector() { # FOLDER
  cat >"$1/builder.yaml" <<MANIFEST
dist: { name: collector, output_path: $1/dist }
receivers: [{ gomod: go.opentelemetry.io/collector/receiver/otlpreceiver $collector_version }]
exporters: [{ gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter $collector_version }]
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider $provider_version
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider $provider_version
MANIFEST
  GOPATH=$1/go GOCACHE=$1/cache GOFLAGS=-modcacherw CGO_ENABLED=0 \
    timeout 900 go run "go.opentelemetry.io/collector/cmd/builder@$collector_version" --config "$1/builder.yaml" \
    >"$1/build.log" 2>&1
}

start_collector() {
  local home=$installed/collector-$collector_version since=$SECONDS port export_port
  if [ ! -x "$home/dist/collector" ]; then
    command -v go >/dev/null || { skip "OpenTelemetry collector: go is needed to build it"; return 1; }
    mkdir -p "$home"
    (cd "$home" && build_collector "$home") || {
      skip "OpenTelemetry collector: the Go module proxy cannot be reached or lacks a module of $collector_version"
      return 1
    }
    say "collector $collector_version built in $((SECONDS - since)) s"
  fi
  port=$(free_port) export_port=$(free_port)
  collector_config "$port" "$export_port" >"$folder/collector.yaml"
  background collector "$home/dist/collector" --config "$folder/collector.yaml"
  ready collector 30 "http://127.0.0.1:$port/v1/logs" -H content-type:application/json -d "{}" || return 2
  echo "export COLLECTOR_BASE_URL=http://127.0.0.1:$port COLLECTOR_EXPORT_PORT=$export_port"
}

# No server, but the client that sends scores to one.
start_opik() {
  local home=$installed/opik-$opik_version since=$SECONDS
  if [ ! -f "$home/complete" ]; then
    mkdir -p "$home"
    npm install --prefix "$home" --omit=optional --ignore-scripts --no-audit --no-fund "opik@$opik_version" zod@4 \
      >"$folder/opik-install.log" 2>&1 || { skip "Opik's client: the npm registry cannot be reached or has no opik $opik_version"; return 1; }
    touch "$home/complete"
    say "opik $opik_version installed in $((SECONDS - since)) s"
  fi
  echo "export OPIK_CLIENT=$home/node_modules/opik/dist/index.js"
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
  for server in phoenix mlflow collector opik; do
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
