import type { Forwarder } from "../delivery/create-delivery-loop.ts";
import type { ForwarderHealth } from "../delivery/health.ts";
import type { Shell } from "./shell.ts";

const onTerminalEveryInMs = 500;
const elsewhereEveryInMs = 60_000;
/** Back to the start of the line, and clear it. */
export const clearLine = "\r\u001B[2K";

const inSeconds = (milliseconds: number | null) =>
  milliseconds === null ? "?" : `${Math.round(milliseconds / 1000)} s`;

function line(health: ForwarderHealth, perSecond: number): string {
  const { state, sink, sinks, delivered, failed, retried } = health;
  const lags = sinks.map(
    ({ sink: name, lagInMs }) => `${sinks.length > 1 ? `${name} ` : ""}${inSeconds(lagInMs)}`,
  );
  // The most important values come first, since a narrow terminal truncates the line.
  const most = `delivered ${delivered}, lag ${lags.join(", ")}, ${perSecond.toFixed(1)}/s`;
  return `${state}: ${most}, failed ${failed}, retried ${retried} -> ${sink}`;
}

/** Truncates, since a wrapped line could not be cleared; some terminals wrap when the last column is filled. */
const fitted = (text: string, columns: number) =>
  text.length < columns ? text : `${text.slice(0, columns - 2)}…`;

/**
 * Reports progress on standard error: on a terminal one line that is overwritten, elsewhere a line per minute if
 * something has changed.
 */
export function showProgress(forwarder: Forwarder, shell: Shell): { stop(): void } {
  const done = new AbortController();
  const everyInMs = shell.isTerminal ? onTerminalEveryInMs : elsewhereEveryInMs;

  async function tell(): Promise<void> {
    let before = 0;
    let told = "";
    for (;;) {
      await shell.clock.sleep(everyInMs, done.signal);
      if (done.signal.aborted) return;
      const health = forwarder.health();
      const text = line(health, ((health.delivered - before) / everyInMs) * 1000);
      if (shell.isTerminal) shell.writeError(clearLine + fitted(text, shell.columns()));
      else if (text !== told) shell.writeError(`${text}\n`);
      before = health.delivered;
      told = text;
    }
  }

  void tell();
  return {
    stop() {
      done.abort();
      if (shell.isTerminal) shell.writeError(clearLine);
    },
  };
}
