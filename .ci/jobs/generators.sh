# Requests that schemathesis, from PyPI, generates from openapi.yaml.
install_schemathesis() {
  local folder
  folder=$(mktemp -d)
  command -v python3 >/dev/null || { apt-get update -qq && apt-get install -y -qq python3 python3-venv; } || return 1
  python3 -m venv "$folder" || { apt-get install -y -qq python3-venv && python3 -m venv "$folder"; } || return 1
  "$folder/bin/pip" install -q schemathesis==4.32.5 || return 1
  export SCHEMATHESIS="$folder/bin/schemathesis"
}
extra "generated requests" generators install_schemathesis
unset SCHEMATHESIS
