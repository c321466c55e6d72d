import type { Shell } from "./shell.ts";

const clearLine = "\r\u001B[2K";
const clearLineAbove = "\u001B[1A\u001B[2K";

/** Truncates, since a wrapped line could not be cleared; some terminals wrap when the last column is filled. */
const fitted = (text: string, columns: number) =>
  text.length < columns ? text : `${text.slice(0, columns - 2)}…`;

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
  show(lines: readonly string[]): void {
    const columns = this.#shell.columns();
    const text = lines.map((line) => fitted(line, columns)).join("\n");
    this.#shell.writeError(this.#clearing() + text);
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
