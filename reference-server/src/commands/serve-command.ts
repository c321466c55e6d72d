import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { type ServerConfig } from "../config.ts";
import { InvalidConfig } from "../invalid-config.ts";
import { startServer, type RunningServer } from "../serve.ts";
import { type Terminal } from "./terminal.ts";

interface ServeFlags {
  config?: string;
  db: string;
  host: string;
  port: number;
  keyFile?: string;
  json?: boolean;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535; 0 takes any free one.");
}

function readConfig(path: string): ServerConfig {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new InvalidConfig([{ path: "", message: `cannot read ${path}: ${(error as Error).message}` }]);
  }
  try {
    // startServer checks it.
    return JSON.parse(text) as ServerConfig;
  } catch (error) {
    throw new InvalidConfig([
      { path: "", message: `${path} is not valid JSON: ${(error as Error).message}` },
    ]);
  }
}

function announce({ url, projects }: RunningServer, isJson: boolean | undefined, terminal: Terminal): void {
  if (isJson) return terminal.print(JSON.stringify({ url, projects }));
  terminal.print(`Afterword listens on ${url}`);
  for (const { id, publishableKey, secretKey } of projects) {
    terminal.print(`  project ${id}  publishable key ${publishableKey}`);
    if (secretKey) terminal.print(`    secret key ${secretKey}  (shown this once: keep it)`);
  }
}

/** `serve`: opens the database, listens, and stops cleanly on SIGINT and SIGTERM. */
export function serveCommand(terminal: Terminal): Command {
  return new Command("serve")
    .description("Start the server")
    .option("--config <file>", "projects, surveys and limits as JSON")
    .option("--db <database>", "path of a SQLite file, or :memory:", "afterword.db")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes any free one", portNumber, 8787)
    .option("--key-file <file>", "file that holds the master key")
    .option("--json", "print one line of JSON once the server listens")
    .addHelpText(
      "after",
      "\nExample:\n  afterword-server serve --config afterword.json --db afterword.db --port 8787",
    )
    .action(async (flags: ServeFlags) => {
      const server = await startServer({
        config: flags.config === undefined ? undefined : readConfig(flags.config),
        database: flags.db,
        host: flags.host,
        port: flags.port,
        keyFile: flags.keyFile,
        masterKey: terminal.environment["AFTERWORD_MASTER_KEY"],
      });
      announce(server, flags.json, terminal);
      terminal.onStop(() => server.close());
    });
}
