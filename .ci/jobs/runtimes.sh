# The built client and forwarder in Bun and Deno, which are fetched from the npm registry when they are run.
export BUN_COMMAND="npx -y bun@1.4.5" DENO_COMMAND="npx -y deno@2.9.6"
other_runtimes() {
  { $BUN_COMMAND --version && $DENO_COMMAND --version; } >/dev/null || return 1
}
extra "the built client and forwarder in Bun and Deno" runtimes other_runtimes
unset BUN_COMMAND DENO_COMMAND
