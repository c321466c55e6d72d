# Real observability servers: Phoenix and MLflow from PyPI, an OpenTelemetry collector from the Go module proxy.
# A server that cannot be had gets a line "skipped: ..." of its own, and its tests are counted as skipped.
real_sinks() {
  if ! python3 -c 'import ensurepip' 2>/dev/null || ! command -v curl >/dev/null; then
    command -v apt-get >/dev/null || return
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      python3 python3-venv curl ca-certificates >/dev/null || return
  fi
  local variables
  variables=$(test/sinks/start-servers.sh) && eval "$variables"
}
extra "scores in a real Phoenix, a real MLflow and a real OpenTelemetry collector" sinks real_sinks
[ -z "${SINK_SERVERS_FOLDER:-}" ] || test/sinks/start-servers.sh --stop
