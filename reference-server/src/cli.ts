#!/usr/bin/env node
import { Command } from "commander";
import { InvalidConfig } from "./invalid-config.ts";
import { serveCommand } from "./commands/serve-command.ts";
import { type Terminal } from "./commands/terminal.ts";

const terminal: Terminal = {
  environment: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  onStop(stop) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        stop().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      });
    }
  },
};

const program = new Command("afterword-server")
  .description("The Afterword server: collects ratings and links each to the session of an AI agent's run")
  .addCommand(serveCommand(terminal));

try {
  await program.parseAsync();
} catch (error) {
  if (InvalidConfig.isInstance(error)) {
    terminal.complain("The config has mistakes:");
    for (const { path, message } of error.mistakes) terminal.complain(`  ${path || "config"}: ${message}`);
    process.exit(2);
  }
  terminal.complain(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
