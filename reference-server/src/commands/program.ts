import { Command } from "commander";
import { backupCommand } from "./backup-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { keyCommands } from "./key-commands.ts";
import { projectCommands } from "./project-commands.ts";
import { responsesCommands } from "./responses-commands.ts";
import { restoreCommand } from "./restore-command.ts";
import { resultsCommand } from "./results-command.ts";
import { retentionCommand } from "./retention-command.ts";
import { refuseEmptyValues, type ExitCode } from "./run-program.ts";
import { serveCommand } from "./serve-command.ts";
import { subjectReportCommand } from "./subject-report-command.ts";
import { surveyCommands } from "./survey-commands.ts";
import { type Terminal } from "./terminal.ts";

const codes = `
Exit codes:
    0 done   1 failed   2 usage error   3 refused, nothing was changed
  4 the database is unavailable   5 doctor found a problem`;

export function createProgram(
  terminal: Terminal,
  versions: { program: string; node: string },
  onExitCode: (code: ExitCode) => void,
): Command {
  const program = new Command("afterword-server");
  refuseEmptyValues(program);
  return program
    .description("The Afterword server: collects ratings and links each to the session of an AI agent's run")
    .version(versions.program)
    .addHelpText("after", codes)
    .addCommand(serveCommand(terminal))
    .addCommand(projectCommands(terminal))
    .addCommand(keyCommands(terminal))
    .addCommand(surveyCommands(terminal))
    .addCommand(responsesCommands(terminal))
    .addCommand(resultsCommand(terminal))
    .addCommand(subjectReportCommand(terminal))
    .addCommand(backupCommand(terminal))
    .addCommand(restoreCommand(terminal))
    .addCommand(retentionCommand(terminal))
    .addCommand(doctorCommand(terminal, versions.node, onExitCode));
}
