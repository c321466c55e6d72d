import { Command } from "commander";
import { UsageError } from "@afterword/reference-server/internal";
import { applyCommand } from "./apply-command.ts";
import { auditCommands } from "./audit-command.ts";
import { backupCommand } from "./backup-command.ts";
import { type CommandOf } from "./define-command.ts";
import { devCommand } from "./dev-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { keyCommands } from "./key-commands.ts";
import { migrateCommand } from "./migrate-command.ts";
import { projectCommands } from "./project-commands.ts";
import { responsesCommands } from "./responses-commands.ts";
import { restoreCommand } from "./restore-command.ts";
import { resultsCommand } from "./results-command.ts";
import { retentionCommand } from "./retention-command.ts";
import { refuseEmptyValues } from "./run-program.ts";
import { serveCommand } from "./serve-command.ts";
import { subjectReportCommand } from "./subject-report-command.ts";
import { surveyCommands } from "./survey-commands.ts";
import { type Terminal } from "./terminal.ts";
import { watchCommand } from "./watch-command.ts";

const codes = `
Exit codes:
   0 done   1 failed   2 usage error   3 refused, nothing was changed
   4 the database is unavailable   5 doctor or audit verify found a problem
   6 watch found a lower score`;

const commands: readonly CommandOf[] = [
  serveCommand,
  devCommand,
  applyCommand,
  projectCommands,
  keyCommands,
  surveyCommands,
  responsesCommands,
  resultsCommand,
  watchCommand,
  subjectReportCommand,
  backupCommand,
  restoreCommand,
  retentionCommand,
  migrateCommand,
  auditCommands,
  doctorCommand,
];

/** Commands of earlier versions, whose place `apply` has taken. */
const formerCommands = { project: ["update"], survey: ["import", "activate", "pause", "draft"] };

function formerCommand(group: string, name: string): Command {
  const message =
    `\`${group} ${name}\` is gone: change the project in a config file, and run \`apply FILE\` ` +
    "(docs/reference/commands.md).";
  return new Command(name)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(message);
    });
}

export function createProgram(terminal: Terminal, version: string): Command {
  const program = new Command("afterword-server")
    .description("The Afterword server: collects ratings and links each to the session of an AI agent's run")
    .version(version)
    .addHelpText("after", codes);
  refuseEmptyValues(program);
  for (const command of commands) program.addCommand(command(terminal));
  for (const [group, names] of Object.entries(formerCommands)) {
    const parent = program.commands.find((command) => command.name() === group)!;
    for (const name of names) parent.addCommand(formerCommand(group, name), { hidden: true });
  }
  return program;
}
