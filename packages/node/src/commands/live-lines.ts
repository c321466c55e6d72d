import type { Shell } from "./shell.ts";

const clearLine = "\r\u001B[2K";
const clearLineAbove = "\u001B[1A\u001B[2K";

/**
 * Shortens, since a wrapped line could not be cleared; some terminals wrap when the last column is filled. A cause ends its
 * line, so that its middle goes; other lines begin with what matters most.
 */
function fitted(text: string, columns: number, isCause: boolean): string {
  if (text.length < columns) return text;
  const room = Math.max(0, columns - 2);
  const end = isCause ? Math.ceil((room * 2) / 3) : 0;
  return `${text.slice(0, room - end)}…${end > 0 ? text.slice(-end) : ""}`;
}

/** Writes to standard error: messages, and on a terminal below them lines that are overwritten. */
export class LiveLines {
  readonly #shell: Pick<Shell, "isTerminal" | "columns" | "writeError">;
  #shown = 0;

  constructor(shell: Pick<Shell, "isTerminal" | "columns" | "writeError">) {
    this.#shell = shell;
  }

  /** Writes a message that stays. */
  say(message: string): void {
    this.#shell.writeError(`${this.#clearing()}${message}\n`);
  }

  /** Replaces the lines that were shown before. Only for terminals. */
  show(summary: string, causes: readonly string[]): void {
    const columns = this.#shell.columns();
    const lines = [fitted(summary, columns, false), ...causes.map((cause) => fitted(cause, columns, true))];
    this.#shell.writeError(this.#clearing() + lines.join("\n"));
    this.#shown = lines.length;
  }

  clear(): void {
    if (this.#shell.isTerminal) this.#shell.writeError(this.#clearing());
  }

  #clearing(): string {
    if (!this.#shell.isTerminal) return "";
    const above = Math.max(0, this.#shown - 1);
    this.#shown = 0;
    return clearLine + clearLineAbove.repeat(above);
  }
}
