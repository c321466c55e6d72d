import type { Shell } from "./shell.ts";

const clearLine = "\r\u001B[2K";

/** Writes to standard error: messages, and on a terminal below them one line that is overwritten. */
export class LiveLine {
  readonly #shell: Pick<Shell, "isTerminal" | "columns" | "writeError">;

  constructor(shell: Pick<Shell, "isTerminal" | "columns" | "writeError">) {
    this.#shell = shell;
  }

  /** Writes a message that stays. */
  say(message: string): void {
    this.#shell.writeError(`${this.#shell.isTerminal ? clearLine : ""}${message}\n`);
  }

  /** Replaces the line that was shown before. Only for terminals. */
  show(text: string): void {
    const columns = this.#shell.columns();
    // A wrapped line could not be cleared; some terminals wrap when the last column is filled.
    const fitted = text.length < columns ? text : `${text.slice(0, Math.max(0, columns - 2))}…`;
    this.#shell.writeError(clearLine + fitted);
  }

  clear(): void {
    if (this.#shell.isTerminal) this.#shell.writeError(clearLine);
  }
}
