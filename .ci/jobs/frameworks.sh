# The recipes for agent frameworks, with the real packages and a fake model. They come from the npm registry like
# everything else, so that a failing installation is a fault. Without optional packages: the program that the Claude Agent
# SDK starts is 175 MB, and a fake takes its place.
agent_frameworks() {
  npx -y pnpm@12 --dir test/frameworks install --ignore-workspace --frozen-lockfile --no-optional || return 2
  npx -y pnpm@12 exec tsc -p test/frameworks/tsconfig.json || return 2
  npx -y pnpm@12 exec tsc -p test/frameworks/react-native/tsconfig.json || return 2
}
extra "recipes for agent frameworks" frameworks agent_frameworks
