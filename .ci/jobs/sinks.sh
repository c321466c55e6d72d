# Scores into a real Phoenix, a real MLflow and a real OpenTelemetry collector, from PyPI and the Go module proxy.
extra_beside test/sinks/start-servers.sh "scores into real observability servers" sinks
