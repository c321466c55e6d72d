import { UsageError } from "@afterword/reference-server/internal";
import { type Terminal } from "./terminal.ts";

/**
 * Asks for confirmation of a destructive command, unless `--yes` was given.
 * @throws UsageError when the word was not typed, or without a terminal
 */
export async function confirm(
  terminal: Terminal,
  isConfirmed: boolean | undefined,
  consequence: string,
  word: string,
): Promise<void> {
  if (isConfirmed) return;
  if (!terminal.isInteractive) {
    throw new UsageError(`${consequence} Add --yes to confirm without a terminal.`);
  }
  terminal.complain(consequence);
  const answer = await terminal.ask(`Type ${word} to continue: `);
  if (answer.trim() !== word) throw new UsageError("Nothing was changed.");
}
