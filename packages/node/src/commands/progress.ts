import type { Forwarder } from "../delivery/delivery-loop.ts";
import type { ForwarderStatus, Waiting } from "../delivery/forwarder-status.ts";
import { whatWaits } from "../delivery/watch.ts";
import type { LiveLines } from "./live-lines.ts";
import type { Shell } from "./shell.ts";

const onTerminalEveryInMs = 500;
const elsewhereEveryInMs = 60_000;
const mostReasons = 3;

const inSeconds = (milliseconds: number | null) =>
  milliseconds === null ? "?" : `${Math.round(milliseconds / 1000)} s`;

function line(health: ForwarderStatus, perSecond: number): string {
  const { state, sink, sinks, delivered, failed, retried } = health;
  const lags = sinks.map(
    ({ sink: name, lagInMs }) => `${sinks.length > 1 ? `${name} ` : ""}${inSeconds(lagInMs)}`,
  );
  // The most important values come first, since a narrow terminal truncates the line.
  const most = `delivered ${delivered}, lag ${lags.join(", ")}, ${perSecond.toFixed(1)}/s`;
  return `${state}: ${most}, failed ${failed}, retried ${retried} -> ${sink}`;
}

/** The cause ends the line, which a narrow terminal shortens in its middle. */
function reasonLine(waiting: Waiting, now: number): string {
  const inMs = waiting.until === null ? null : Math.max(0, Date.parse(waiting.until) - now);
  return `  ${inMs === null ? "" : `next attempt in ${inSeconds(inMs)}: `}${whatWaits(waiting)}`;
}

/**
 * Reports progress on standard error: on a terminal in lines that are overwritten, with what is waited for and the next
 * attempt; elsewhere a line per minute if something has changed.
 */
export function showProgress(forwarder: Forwarder, lines: LiveLines, shell: Shell): { stop(): void } {
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
      const now = shell.clock.now();
      const reasons = health.waiting.slice(0, mostReasons).map((waiting) => reasonLine(waiting, now));
      if (shell.isTerminal) lines.show(text, reasons);
      else if (text !== reported) lines.say(text);
      before = health.delivered;
      reported = text;
    }
  }

  void report();
  return {
    stop() {
      done.abort();
      lines.clear();
    },
  };
}
