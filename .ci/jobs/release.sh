# What a release is held against, from packing to the first example of each README with commands under four package managers. The packages of
# this job come from the npm registry like everything else, so that a failing installation is a fault.
export RELEASE_TOOLS=$(mktemp -d)
release_tools() {
  npx -y pnpm@12 run release:tools && npx -y pnpm@12 exec tsc -p test/release || return 2
}
extra "a release" release release_tools

# Its workflow, and the script that pins base images, by tools from the Go module proxy.
workflow_tools() {
  command -v go >/dev/null || return 1
  GOBIN=$RELEASE_TOOLS go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 &&
    GOBIN=$RELEASE_TOOLS go install github.com/google/go-containerregistry/cmd/crane@v0.22.1 || return 1
  "$RELEASE_TOOLS/actionlint" --version && "$RELEASE_TOOLS/crane" version || return 2
}
extra "the workflow of a release" workflow workflow_tools
rm -rf "$RELEASE_TOOLS"
unset RELEASE_TOOLS
