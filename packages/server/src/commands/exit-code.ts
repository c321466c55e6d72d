import { CommanderError } from "commander";
import {
  InvalidConfig,
  Refusal,
  StoreUnavailable,
  UnusableDatabase,
  UsageError,
} from "@afterword/reference-server/internal";

/** The program's exit codes; docs/reference/commands.md lists them. */
export const exitCodes = {
  done: 0,
  /** An error of the program or the machine. */
  failed: 1,
  /** Usage error in flags, variables or a file; nothing was changed. */
  usage: 2,
  /** The command was refused or not confirmed; nothing was changed. */
  refused: 3,
  unavailable: 4,
  unhealthy: 5,
  dropped: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof InvalidConfig) return exitCodes.usage;
  if (error instanceof UnusableDatabase) return error.isSettingWrong ? exitCodes.usage : exitCodes.refused;
  if (error instanceof UsageError || error instanceof Refusal) return exitCodes.refused;
  return error instanceof StoreUnavailable ? exitCodes.unavailable : exitCodes.failed;
}
