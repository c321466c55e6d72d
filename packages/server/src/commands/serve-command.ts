import { Command, InvalidArgumentError, type Option } from "commander";
import { type ServerConfig } from "@afterword/reference-server/internal";
import { type RunningServer, type StartOptions } from "../program/start-options.ts";
import {
  createEventLog,
  logLevels,
  requestLogging,
  type LogLevel,
  type RequestLogging,
} from "../log/event-log.ts";
import { openAuditTrail } from "../audit/open-audit-trail.ts";
import { startServer } from "../program/start-server.ts";
import {
  auditFileOption,
  databaseOption,
  erasureLogOption,
  keyFileOption,
  setting,
} from "./database-flags.ts";
import { durationArgument } from "./duration-argument.ts";
import { readInput } from "./input-file.ts";
import { retentionOptions } from "./retention-command.ts";
import { type Terminal } from "./terminal.ts";
import { type RetentionPolicy } from "../administration/retention.ts";

type SameNames = "host" | "port" | "keyFile" | "erasureLog" | "auditFile" | "networkDisk";

interface ServeFlags extends RetentionPolicy, Pick<StartOptions, SameNames> {
  config?: string;
  db: string;
  adminHost: string;
  adminPort?: number;
  drainDelay: number;
  keepAliveTimeout: number;
  logLevel: LogLevel;
  logRequests: RequestLogging;
  json?: boolean;
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Pass a number from 0 to 65535; 0 picks a free port.");
}

function announce(server: RunningServer, isJson: boolean | undefined, terminal: Terminal): void {
  const { url, adminUrl, projects } = server;
  if (isJson) return terminal.print(JSON.stringify({ url, adminUrl, projects }));
  terminal.print(`Afterword listens on ${url} (reference: ${url}/docs)`);
  if (adminUrl) terminal.print(`  metrics on ${adminUrl}/metrics`);
  for (const { id, publishableKey, secretKey } of projects) {
    terminal.print(`  project ${id}  publishable key ${publishableKey}`);
    if (secretKey) terminal.print(`    secret key ${secretKey}  (shown only once: save it)`);
  }
}

const options = (): Option[] => [
  setting("--config <file>", "projects, surveys and limits as JSON"),
  databaseOption(),
  setting("--host <host>", "address to listen on").default("127.0.0.1"),
  setting("--port <number>", "port to listen on; 0 picks a free one").argParser(portNumber).default(8787),
  keyFileOption(),
  setting("--admin-port <number>", "port of /metrics, /healthz and /readyz; default: off").argParser(
    portNumber,
  ),
  setting("--admin-host <host>", "address of the admin port").default("127.0.0.1"),
  erasureLogOption(),
  auditFileOption(),
  ...retentionOptions(),
  setting("--drain-delay <duration>", "how long a stopping server still accepts connections")
    .argParser(durationArgument({ zero: "0", longest: "1h" }))
    .default(0, "0"),
  setting("--keep-alive-timeout <duration>", "how long a connection stays open after a reply")
    .argParser(durationArgument({ longest: "24h" }))
    .default(75_000, "75s"),
  setting("--network-disk <what>", "whether a SQLite file may be on NFS or SMB, where it can be corrupted")
    .choices(["refuse", "allow"])
    .default("refuse"),
  setting("--log-level <level>", "level of the log on stderr, one JSON line per event")
    .choices(logLevels)
    .default("info"),
  setting("--log-requests <which>", "which requests to log; server errors are always logged")
    .choices(requestLogging)
    .default("refused"),
];

const withoutLimits =
  "There are no rate limits: remove rateLimits from the config file, unless a proxy in front has limits of its own.";

async function serve(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const { adminHost, adminPort } = flags;
  // startServer validates it.
  const config =
    flags.config === undefined
      ? undefined
      : (readInput(flags.config, JSON.parse, "not valid JSON") as ServerConfig);
  const events = createEventLog(terminal.log, flags.logLevel, terminal.clock, flags.logRequests);
  const server = await startServer({
    ...flags,
    config,
    database: flags.db,
    masterKey: terminal.environment["AFTERWORD_MASTER_KEY"],
    auditTrail: openAuditTrail(undefined, terminal.log, terminal.clock),
    drainDelayInMs: flags.drainDelay,
    timeouts: { keepAliveInMs: flags.keepAliveTimeout },
    retention: flags,
    admin: adminPort === undefined ? undefined : { host: adminHost, port: adminPort },
    events,
  });
  // First, since a supervisor may stop the server as soon as it has read the address.
  terminal.onStop(() => server.close());
  if (config?.rateLimits === false) events.emit({ kind: "warning", message: withoutLimits });
  announce(server, flags.json, terminal);
}

/**
 * `serve`: opens the database, listens, and stops cleanly on SIGINT and SIGTERM. Not by `defineCommand`, which closes
 * the database at the end of a command: here and in `dev` it belongs to the server, which goes on.
 */
export function serveCommand(terminal: Terminal): Command {
  const command = new Command("serve").description("Start the server");
  for (const option of options()) command.addOption(option);
  return command
    .option("--json", "print one line of JSON once the server listens")
    .addHelpText(
      "after",
      "\nExample:\n  afterword-server serve --config afterword.json --db afterword.db --port 8787 --admin-port 8788",
    )
    .action((flags: ServeFlags) => serve(flags, terminal));
}
