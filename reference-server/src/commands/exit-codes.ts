import { CommanderError } from "commander";
import { UsageError } from "../domain/usage-error.ts";
import { Refusal } from "../domain/refusal.ts";
import { InvalidConfig } from "../config/invalid-config.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { UnusableDatabase } from "../store/unusable-database.ts";

/** The program's exit codes; the README lists them. */
export const exitCodes = {
  done: 0,
  /** A fault of the program or of the machine. */
  failed: 1,
  /** Flags, variables or a file are wrong; nothing was changed. */
  usage: 2,
  /** What was asked for cannot be done, or was not confirmed; nothing was changed. */
  refused: 3,
  /** The database cannot answer now; try again. */
  unavailable: 4,
  /** `doctor` found something to be put right. */
  unhealthy: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of what a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (InvalidConfig.isInstance(error)) return exitCodes.usage;
  if (UnusableDatabase.isInstance(error)) return error.isSettingWrong ? exitCodes.usage : exitCodes.refused;
  if (UsageError.isInstance(error) || Refusal.isInstance(error)) return exitCodes.refused;
  return StoreUnavailable.isInstance(error) ? exitCodes.unavailable : exitCodes.failed;
}
