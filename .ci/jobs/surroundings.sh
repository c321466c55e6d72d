# What stands beside Afterword where people use it: modals, tracers, bundlers and proxies from the npm registry, with a lock
# file of their own, and PgBouncer from Debian.
surroundings() {
  npx -y pnpm@12 --dir test/surroundings install --frozen-lockfile || return 2
  npx -y pnpm@12 exec tsc -p test/surroundings/tsconfig.json || return 2
  { command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ]; } && return
  command -v apt-get >/dev/null || return
  apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends pgbouncer >/dev/null
}
extra "what stands beside Afterword" surroundings surroundings
