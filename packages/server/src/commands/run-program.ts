import { CommanderError, type Command } from "commander";
import {
  CannotListen,
  InvalidConfig,
  Refusal,
  UnusableDatabase,
  UsageError,
} from "@afterword/reference-server/internal";
import { exitCodeOf } from "./exit-code.ts";
import { type Terminal } from "./terminal.ts";

/**
 * Removes empty variables: `${NAME:-}` in a compose file means unset. An empty host would otherwise mean
 * all addresses of the machine.
 */
export function forgetEmptyVariables(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(environment)) {
    if (name.startsWith("AFTERWORD_") && environment[name] === "") delete environment[name];
  }
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.includes(""));

/** Refuses empty flags and arguments, which scripts pass when a variable is misspelt. */
export function refuseEmptyValues(program: Command): void {
  program.hook("preAction", (_, command) => {
    for (const option of command.options) {
      if (isEmpty(command.getOptionValue(option.attributeName())))
        command.error(`error: option '${option.flags}' is empty`);
    }
    if (isEmpty(command.args)) command.error("error: an argument is empty");
  });
}

/** Otherwise commander ends the process itself; each command needs the setting. */
function throwInsteadOfExiting(command: Command): void {
  command.exitOverride().showHelpAfterError("(add --help for the flags and an example)");
  for (const child of command.commands) throwInsteadOfExiting(child);
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
  program: Command,
  programArguments: readonly string[],
  terminal: Terminal,
): Promise<void> {
  throwInsteadOfExiting(program);
  try {
    await program.parseAsync(programArguments, { from: "user" });
  } catch (error) {
    terminal.showProgress("");
    explain(error, terminal);
    terminal.setExitCode(exitCodeOf(error));
  }
}
