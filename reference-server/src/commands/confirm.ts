import { UsageError } from "../domain/usage-error.ts";
import { type Terminal } from "./terminal.ts";

/**
 * Lets nothing be destroyed by accident: somebody types a word, or `--yes` was given.
 * @throws UsageError when they do not, or when nobody is there to be asked
 */
export async function confirm(
  terminal: Terminal,
  isConfirmed: boolean | undefined,
  consequence: string,
  word: string,
): Promise<void> {
  if (isConfirmed) return;
  if (!terminal.isInteractive) {
    throw new UsageError(`${consequence} Nobody is there to be asked: add --yes if this is meant.`);
  }
  terminal.complain(consequence);
  const answer = await terminal.ask(`Type ${word} to go on: `);
  if (answer.trim() !== word) throw new UsageError("Nothing was changed.");
}
