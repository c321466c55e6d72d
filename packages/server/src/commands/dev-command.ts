import { createEventLog } from "../log/event-log.ts";
import { defineBareCommand } from "./define-command.ts";
import { portArgument } from "./flags.ts";

/** `dev`: a server with a project, surveys and a page that shows what happens, for this machine alone. */
export const devCommand = defineBareCommand({
  name: "dev",
  description: "Start a server for development, with surveys, keys and a page that shows what happens",
  example: "dev",
  options: (command) =>
    command
      .option("--folder <folder>", "where the folder .afterword is kept", ".")
      .option("--port <number>", "port of localhost; 0 picks a free one", portArgument, 4330)
      .option("--reset", "delete the database, keys and surveys of earlier runs first")
      .option("--no-forward", "leave scores in the queue, for a forwarder of your own")
      .option("--json", "print one line of JSON once the server listens"),
  async work({ flags, clock, log, onStop }) {
    // Loaded only now: other commands need neither the page nor its plots.
    const { startDev } = await import("@afterword/dev");
    const running = await startDev({
      folder: flags.folder,
      port: flags.port,
      isReset: flags.reset ?? false,
      isForwarding: flags.forward,
      clock,
      events: createEventLog(log, "warn", clock, "none"),
    });
    onStop(() => running.close());
    const { url, folder, publishableKey, secretKey } = running;
    return {
      json: { url, folder, publishableKey, secretKey },
      lines: [
        `Open ${url}/  (Ctrl-C ends it)`,
        `  publishable key  ${publishableKey}`,
        `  secret key       ${secretKey}`,
        `  data             ${folder}  (begin anew with --reset)`,
      ],
      remarks: [
        "For development only: every page on a port of localhost may call this service, and its page shows the secret key. For people, use `afterword-server serve`.",
      ],
    };
  },
});
