# npm create afterword, from a registry that the test starts: each template's app is installed, started, and rated in a real
# Chromium, and the pages of docs/start are followed command by command. FastAPI's packages come from PyPI; where they cannot be
# had, the tests of its app and its page count as skipped.
create_afterword() {
  local folder
  npx -y pnpm@12 --dir test/registry install --frozen-lockfile || return 2
  folder=$(mktemp -d)
  command -v python3 >/dev/null || apt-get install -y -qq python3 python3-venv
  if python3 -m venv "$folder" &&
    "$folder/bin/pip" install -q -r packages/create-afterword/templates/fastapi/requirements.txt; then
    export CREATE_FASTAPI=1
  fi
  rm -rf "$folder"
}
extra "npm create afterword" created-apps create_afterword
unset CREATE_FASTAPI
