# Scores into a real Phoenix, a real MLflow and a real OpenTelemetry collector, from PyPI and the Go module proxy.
sink_servers() {
  local variables
  variables=$(test/sinks/start-servers.sh) || return
  eval "$variables"
}
extra "scores into real observability servers" sinks sink_servers
[ -z "${SINK_SERVERS_FOLDER:-}" ] || test/sinks/start-servers.sh --stop
unset PHOENIX_BASE_URL MLFLOW_BASE_URL SINK_SERVERS_FOLDER
