import type { Forwarder } from "../delivery/delivery-loop.ts";
import type { ForwarderStatus } from "../delivery/forwarder-status.ts";
import type { Shell } from "./shell.ts";

const clearLine = "\r\u001B[2K";

/** Writes to standard error: messages, and on a terminal below them one line that is overwritten. */
export const liveLine = (shell: Pick<Shell, "isTerminal" | "columns" | "writeError">) => ({
  /** Writes a message that stays. */
  say: (message: string) => shell.writeError(`${shell.isTerminal ? clearLine : ""}${message}\n`),
  /** Replaces the line that was shown before. Only for terminals. */
  show(text: string): void {
    const columns = shell.columns();
    // A wrapped line could not be cleared; some terminals wrap when the last column is filled.
    const fitted = text.length < columns ? text : `${text.slice(0, Math.max(0, columns - 2))}…`;
    shell.writeError(clearLine + fitted);
  },
  clear(): void {
    if (shell.isTerminal) shell.writeError(clearLine);
  },
});

const onTerminalEveryInMs = 500;
const elsewhereEveryInMs = 60_000;

const inSeconds = (milliseconds: number | null) =>
  milliseconds === null ? "?" : `${Math.round(milliseconds / 1000)} s`;

function line(health: ForwarderStatus, perSecond: number): string {
  const { state, sink, sinks, delivered, failed, retried, leased } = health;
  const lags = sinks.map(
    ({ sink: name, lagInMs }) => `${sinks.length > 1 ? `${name} ` : ""}${inSeconds(lagInMs)}`,
  );
  // The most important values come first, since a narrow terminal truncates the line.
  const most = `delivered ${delivered}, lag ${lags.join(", ")}, ${perSecond.toFixed(1)}/s`;
  const elsewhere = leased.count > 0 ? `, ${leased.count} held by others` : "";
  return `${state}: ${most}${elsewhere}, failed ${failed}, retried ${retried} -> ${sink}`;
}

/**
 * Reports progress on standard error until the signal is aborted: on a terminal in a line that is overwritten, elsewhere in a
 * line per minute if something has changed.
 */
export async function showProgress(
  forwarder: Forwarder,
  live: ReturnType<typeof liveLine>,
  { isTerminal, clock }: Shell,
  signal: AbortSignal,
): Promise<void> {
  const everyInMs = isTerminal ? onTerminalEveryInMs : elsewhereEveryInMs;
  let before = 0;
  let reported = "";
  for (;;) {
    await clock.sleep(everyInMs, signal);
    if (signal.aborted) return live.clear();
    const health = forwarder.health();
    const text = line(health, ((health.delivered - before) / everyInMs) * 1000);
    if (isTerminal) live.show(text);
    else if (text !== reported) live.say(text);
    before = health.delivered;
    reported = text;
  }
}
