# The server in Go that was written from the contract's text: its own checks, then the kit's clauses on it. An older Go fetches
# the release that go.mod names from the Go proxy, as it does the modules.
build_second_server() {
  local PATH=$PATH:/usr/local/go/bin
  if ! command -v go >/dev/null; then
    command -v apt-get >/dev/null || return 1
    apt-get update -qq && apt-get install -y -qq --no-install-recommends golang-go >/dev/null || return 1
  fi
  (
    cd test/conformance/second-server || exit 2
    export CGO_ENABLED=0 GOTOOLCHAIN=auto
    [[ "$(go env GOVERSION)" =~ ^go1\.(2[6-9]|[3-9][0-9]) ]] && go mod download || exit 1
    [ -z "$(gofmt -l .)" ] || { echo "gofmt would change: $(gofmt -l .)"; exit 2; }
    go vet ./... && go test ./... && go build -trimpath -o "$SECOND_SERVER" . || exit 2
  )
}
SECOND_SERVER=$(mktemp -d)/second-server
export SECOND_SERVER
extra "second server in Go" second-server build_second_server
rm -rf "${SECOND_SERVER%/*}"
unset SECOND_SERVER
