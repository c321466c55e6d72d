# The built client and forwarder in Bun and Deno, and server and client on the oldest Node, all fetched from the npm registry
# when they are run. The other Node is the newest on which SQLite's driver crashes.
export OLDEST_NODE_COMMAND="npx -y node@22.14.0" REFUSED_NODE_COMMAND="npx -y node@22.13.1"
export BUN_COMMAND="npx -y bun@1.4.5" DENO_COMMAND="npx -y deno@2.9.6"
other_runtimes() {
  { $BUN_COMMAND --version && $DENO_COMMAND --version && $OLDEST_NODE_COMMAND --version && $REFUSED_NODE_COMMAND --version; } >/dev/null || return 1
}
extra "the built client and forwarder in Bun and Deno, and the oldest Node" runtimes other_runtimes
unset BUN_COMMAND DENO_COMMAND OLDEST_NODE_COMMAND REFUSED_NODE_COMMAND
