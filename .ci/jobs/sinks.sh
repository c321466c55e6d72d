# Scores into a real Phoenix, a real MLflow and a real OpenTelemetry collector, from PyPI and the Go module proxy.
sink_servers() {
  local variables status
  variables=$(test/sinks/start-servers.sh)
  status=$?
  if [ $status -eq 2 ]; then
    echo "FAILED: a server was installed and did not start"
    broken=1
  fi
  [ $status -eq 0 ] || return
  eval "$variables"
  trap 'test/sinks/start-servers.sh --stop' EXIT
}
extra "scores into real observability servers" sinks sink_servers
if [ -n "${SINK_SERVERS_FOLDER:-}" ]; then
  trap - EXIT
  test/sinks/start-servers.sh --stop
fi
unset PHOENIX_BASE_URL MLFLOW_BASE_URL COLLECTOR_BASE_URL COLLECTOR_EXPORT_PORT OPIK_CLIENT SINK_SERVERS_FOLDER
