# The recipes for agent frameworks, with the real packages and a fake model. They come from the npm registry like
# everything else, so that a failing installation is a fault.
agent_frameworks() {
  npx -y pnpm@12 --dir test/frameworks install --ignore-workspace --frozen-lockfile || return 2
  npx -y pnpm@12 exec tsc -p test/frameworks/tsconfig.json || return 2
}
extra "recipes for agent frameworks" frameworks agent_frameworks
