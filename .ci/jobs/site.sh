# The documentation site, built as it is published. Its packages come from the npm registry like everything else, so that a
# failing installation is a fault. The generator of the site needs the project's own Node.
build_site() {
  local PATH="$PWD/node_modules/.bin:$PATH"
  npx -y pnpm@12 --dir site install --frozen-lockfile || return 2
  npx -y pnpm@12 exec tsc -p site/build || return 2
  ASTRO_TELEMETRY_DISABLED=1 npx -y pnpm@12 --dir site run build || return 2
}
extra "the documentation site" site build_site
