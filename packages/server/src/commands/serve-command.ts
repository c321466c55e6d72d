import { type ServerConfig } from "@afterword/reference-server/internal";
import { createEventLog, logLevels, requestLogging } from "../log/event-log.ts";
import { openAuditTrail } from "../audit/open-audit-trail.ts";
import { startServer } from "../program/start-server.ts";
import { defineBareCommand } from "./define-command.ts";
import {
  auditFileOption,
  databaseOption,
  durationArgument,
  erasureLogOption,
  keyFileOption,
  portArgument,
  setting,
} from "./flags.ts";
import { readInput } from "./files.ts";
import { withRetentionFlags } from "./retention-command.ts";

const withoutLimits =
  "There are no rate limits: remove rateLimits from the config file, unless a proxy in front has limits of its own.";

/** `serve`: opens the database, listens, and stops cleanly on SIGINT and SIGTERM. */
export const serveCommand = defineBareCommand({
  name: "serve",
  description: "Start the server",
  example: "serve --config afterword.json --db afterword.db --port 8787 --admin-port 8788",
  options: (command) =>
    withRetentionFlags(
      command
        .addOption(setting("--config <file>", "projects, surveys and limits as JSON"))
        .addOption(databaseOption())
        .addOption(setting("--host <host>", "address to listen on").default("127.0.0.1"))
        .addOption(
          setting("--port <number>", "port to listen on; 0 picks a free one")
            .argParser(portArgument)
            .default(8787),
        )
        .addOption(keyFileOption())
        .addOption(
          setting("--admin-port <number>", "port of /metrics, /healthz and /readyz; default: off").argParser(
            portArgument,
          ),
        )
        .addOption(setting("--admin-host <host>", "address of the admin port").default("127.0.0.1"))
        .addOption(erasureLogOption())
        .addOption(auditFileOption()),
    )
      .addOption(
        setting("--drain-delay <duration>", "how long a stopping server still accepts connections")
          .argParser(durationArgument({ zero: "0", longest: "1h" }))
          .default(0, "0"),
      )
      .addOption(
        setting("--keep-alive-timeout <duration>", "how long a connection stays open after a reply")
          .argParser(durationArgument({ longest: "24h" }))
          .default(75_000, "75s"),
      )
      .addOption(
        setting(
          "--network-disk <what>",
          "whether a SQLite file may be on NFS or SMB, where it can be corrupted",
        )
          .choices(["refuse", "allow"])
          .default("refuse"),
      )
      .addOption(
        setting("--log-level <level>", "level of the log on stderr, one JSON line per event")
          .choices(logLevels)
          .default("info"),
      )
      .addOption(
        setting("--log-requests <which>", "which requests to log; server errors are always logged")
          .choices(requestLogging)
          .default("refused"),
      )
      .option("--json", "print one line of JSON once the server listens"),
  async work({ flags, log, clock, environment, onStop }) {
    const { adminHost, adminPort } = flags;
    // startServer validates it.
    const config =
      flags.config === undefined
        ? undefined
        : (readInput(flags.config, JSON.parse, "not valid JSON") as ServerConfig);
    const events = createEventLog(log, flags.logLevel, clock, flags.logRequests);
    const server = await startServer({
      ...flags,
      config,
      database: flags.db,
      masterKey: environment["AFTERWORD_MASTER_KEY"],
      auditTrail: openAuditTrail(undefined, log, clock),
      drainDelayInMs: flags.drainDelay,
      timeouts: { keepAliveInMs: flags.keepAliveTimeout },
      retention: flags,
      admin: adminPort === undefined ? undefined : { host: adminHost, port: adminPort },
      events,
    });
    // First, since a supervisor may stop the server as soon as it has read the address.
    onStop(() => server.close());
    if (config?.rateLimits === false) events.emit({ kind: "warning", message: withoutLimits });
    const { url, adminUrl, projects } = server;
    return {
      json: { url, adminUrl, projects },
      lines: [
        `Afterword listens on ${url} (reference: ${url}/openapi.yaml)`,
        adminUrl && `  metrics on ${adminUrl}/metrics`,
        ...projects.flatMap(({ id, publishableKey, secretKey }) => [
          `  project ${id}  publishable key ${publishableKey}`,
          secretKey && `    secret key ${secretKey}  (shown only once: save it)`,
        ]),
      ],
    };
  },
});
