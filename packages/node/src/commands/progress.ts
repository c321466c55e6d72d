import type { Forwarder } from "../delivery/delivery-loop.ts";
import type { ForwarderStatus } from "../delivery/forwarder-status.ts";
import type { LiveLine } from "./live-line.ts";
import type { Shell } from "./shell.ts";

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
 * Reports progress on standard error: on a terminal in a line that is overwritten, elsewhere in a line per minute if
 * something has changed.
 */
export function showProgress(forwarder: Forwarder, live: LiveLine, shell: Shell): { stop(): void } {
  const done = new AbortController();
  const everyInMs = shell.isTerminal ? onTerminalEveryInMs : elsewhereEveryInMs;

  async function report(): Promise<void> {
    let before = 0;
    let reported = "";
    for (;;) {
      await shell.clock.sleep(everyInMs, done.signal);
      if (done.signal.aborted) return;
      const health = forwarder.health();
      const text = line(health, ((health.delivered - before) / everyInMs) * 1000);
      if (shell.isTerminal) live.show(text);
      else if (text !== reported) live.say(text);
      before = health.delivered;
      reported = text;
    }
  }

  void report();
  return {
    stop() {
      done.abort();
      live.clear();
    },
  };
}
