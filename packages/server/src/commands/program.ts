import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { CannotListen } from "@afterword/command-line/start-listening";
import {
  InvalidConfig,
  Refusal,
  StoreUnavailable,
  UnusableDatabase,
  UsageError,
} from "@afterword/reference-server/internal";
import { applyCommand } from "./apply-command.ts";
import { auditCommands } from "./audit-command.ts";
import { backupCommand } from "./backup-command.ts";
import { type AddCommand } from "./define-command.ts";
import { devCommand } from "./dev-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { keyCommands } from "./key-commands.ts";
import { migrateCommand } from "./migrate-command.ts";
import { projectCommands } from "./project-commands.ts";
import { responsesCommands } from "./responses-commands.ts";
import { restoreCommand } from "./restore-command.ts";
import { resultsCommand } from "./results-command.ts";
import { retentionCommand } from "./retention-command.ts";
import { serveCommand } from "./serve-command.ts";
import { subjectReportCommand } from "./subject-report-command.ts";
import { surveyCommands } from "./survey-commands.ts";
import { type ExitCode, exitCodes, type Terminal } from "./terminal.ts";
import { watchCommand } from "./watch-command.ts";

const codes = `
Exit codes:
   0 done   1 failed   2 usage error   3 refused, nothing was changed
   4 the database is unavailable   5 doctor or audit verify found a problem
   6 watch found a lower score`;

const commands: readonly AddCommand[] = [
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

/** Refuses empty flags and arguments, which scripts pass when a variable is misspelt. */
function refuseEmptyValues(command: CommandUnknownOpts): void {
  const isEmpty = (value: unknown) => [value].flat().includes("");
  for (const option of command.options) {
    if (isEmpty(command.getOptionValue(option.attributeName())))
      command.error(`error: option '${option.flags}' is empty`);
  }
  if (isEmpty(command.args)) command.error("error: an argument is empty");
}

export function createProgram(terminal: Terminal, version: string): CommandUnknownOpts {
  const program: CommandUnknownOpts = new Command("afterword-server")
    .description("The Afterword server: collects ratings and links each to the session of an AI agent's run")
    .version(version)
    .addHelpText("after", codes)
    .hook("preAction", (_, command) => refuseEmptyValues(command))
    // The commands inherit these.
    .configureOutput({
      writeOut: (text) => void terminal.write(text),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .showHelpAfterError("(add --help for the flags and an example)")
    .exitOverride();
  for (const addCommand of commands) addCommand(program, terminal);
  return program;
}

/**
 * Removes empty variables: `${NAME:-}` in a compose file means unset. An empty host would otherwise mean
 * all addresses of the machine.
 */
export function forgetEmptyVariables(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(environment)) {
    if (name.startsWith("AFTERWORD_") && environment[name] === "") delete environment[name];
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof InvalidConfig) return exitCodes.usage;
  if (error instanceof UnusableDatabase) return error.isSettingWrong ? exitCodes.usage : exitCodes.refused;
  if (error instanceof UsageError || error instanceof Refusal) return exitCodes.refused;
  return error instanceof StoreUnavailable ? exitCodes.unavailable : exitCodes.failed;
}

/** Prints an error for people; unexpected errors begin with "Failed:". */
function explain(error: unknown, terminal: Terminal): void {
  // Commander has already printed it.
  if (error instanceof CommanderError) return;
  if (error instanceof InvalidConfig) {
    terminal.complain("Invalid input:");
    for (const { path, message } of error.mistakes) terminal.complain(`  ${path || "file"}: ${message}`);
    return;
  }
  const isExpected = [UsageError, Refusal, CannotListen, UnusableDatabase].some(
    (kind) => error instanceof kind,
  );
  const message = error instanceof Error ? error.message : String(error);
  terminal.complain(isExpected ? message : `Failed: ${message}`);
}

/** Runs a command. Never throws: errors are printed and reported as an exit code. */
export async function runProgram(
  program: CommandUnknownOpts,
  programArguments: readonly string[],
  terminal: Terminal,
): Promise<void> {
  try {
    await program.parseAsync(programArguments, { from: "user" });
  } catch (error) {
    terminal.showProgress("");
    explain(error, terminal);
    terminal.setExitCode(exitCodeOf(error));
  }
}
