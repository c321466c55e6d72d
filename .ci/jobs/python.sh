# The Python example with its pinned packages, from PyPI, against the built server, and held to the contract by the kit.
install_python_agent() {
  local folder
  folder=$(mktemp -d)
  command -v python3 >/dev/null || { apt-get update -qq && apt-get install -y -qq python3 python3-venv; } || return 1
  python3 -m venv "$folder" || { apt-get install -y -qq python3-venv && python3 -m venv "$folder"; } || return 1
  "$folder/bin/pip" install -q -r examples/python-agent/requirements.txt || return 1
  export PYTHON_AGENT="$folder/bin/python"
}
extra "the Python example" python install_python_agent
if [ -n "${PYTHON_AGENT:-}" ]; then
  SLOW_TESTS=1 require npx -y pnpm@12 exec vitest run --config test/vitest.config.ts --project slow-conformance held-clients
  count
fi
unset PYTHON_AGENT
