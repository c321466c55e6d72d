import { Command } from "commander";
import { createEventLog } from "../log/event-log.ts";
import { portNumber } from "./serve-command.ts";
import { type Terminal } from "./terminal.ts";

interface DevFlags {
  folder: string;
  port: number;
  reset?: boolean;
  forward: boolean;
  json?: boolean;
}

async function dev(flags: DevFlags, terminal: Terminal): Promise<void> {
  // Loaded only now: other commands need neither the page nor its plots.
  const { startDev } = await import("@afterword/dev");
  const running = await startDev({
    folder: flags.folder,
    port: flags.port,
    isReset: flags.reset ?? false,
    isForwarding: flags.forward,
    clock: terminal.clock,
    events: createEventLog(terminal.log, "warn", terminal.clock, "none"),
  });
  terminal.onStop(() => running.close());
  const { url, folder, publishableKey, secretKey } = running;
  if (flags.json) return terminal.print(JSON.stringify({ url, folder, publishableKey, secretKey }));
  terminal.print(`Open ${url}/  (Ctrl-C ends it)`);
  terminal.print(`  publishable key  ${publishableKey}`);
  terminal.print(`  secret key       ${secretKey}`);
  terminal.print(`  data             ${folder}  (begin anew with --reset)`);
  terminal.complain(
    "For development only: every page on a port of localhost may call this service, and its page shows the secret key. For people, use `afterword-server serve`.",
  );
}

/** `dev`: a server with a project, surveys and a page that shows what happens, for this machine alone. */
export function devCommand(terminal: Terminal): Command {
  return new Command("dev")
    .description("Start a server for development, with surveys, keys and a page that shows what happens")
    .option("--folder <folder>", "where the folder .afterword is kept", ".")
    .option("--port <number>", "port of localhost; 0 picks a free one", portNumber, 4330)
    .option("--reset", "delete the database, keys and surveys of earlier runs first")
    .option("--no-forward", "leave scores in the queue, for a forwarder of your own")
    .option("--json", "print one line of JSON once the server listens")
    .addHelpText("after", "\nExample:\n  afterword-server dev")
    .action((flags: DevFlags) => dev(flags, terminal));
}
