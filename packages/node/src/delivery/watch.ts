import { silentLogger } from "../options/logger.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ForwarderStatus, Waiting } from "./forwarder-status.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

/**
 * Reads the status once a second while a run lasts, and at its end: reports the lag, and logs what the forwarder waits for
 * and what was refused, a new reason at once, a known one once a minute.
 */
export async function watch(
  { clock, logger }: Pick<DeliverySettings, "clock" | "logger">,
  loading: Promise<Telemetry>,
  read: () => ForwarderStatus,
  over: AbortSignal,
): Promise<void> {
  const telemetry = await loading;
  // Without a log and without telemetry, no timer has to run.
  if (logger === silentLogger && telemetry === noTelemetry) return;
  const loggedAt = new Map<string, number>();
  let refusedBefore = 0;
  const isDue = (reason: string) => {
    const now = clock.now();
    for (const [known, at] of loggedAt) if (now - at >= repeatEveryInMs) loggedAt.delete(known);
    if (loggedAt.has(reason)) return false;
    loggedAt.set(reason, now);
    return true;
  };
  while (!over.aborted) {
    await clock.sleep(lookEveryInMs, over);
    const { sinks, waiting, failed, lastRefusal } = read();
    for (const { sink, lagInMs } of sinks) if (lagInMs !== null) telemetry.lag(sink, lagInMs);
    if (over.aborted) return;
    for (const one of waiting) if (isDue(`${one.for} ${one.reason}`)) logger.warn(lineOf(one));
    const refused = failed - refusedBefore;
    if (refused === 0 || !isDue(`refused ${lastRefusal}`)) continue;
    refusedBefore = failed;
    logger.warn(`${refused} refused for good: ${lastRefusal}`);
  }
}

const timeOfDay = (time: string) => `${time.slice(11, 19)}Z`;

/** How many scores wait, for which sink or service, and why. */
function lineOf({ for: name, reason, scores, since, until }: Waiting): string {
  const cause = reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;
  const next = until === null ? "" : `, next attempt ${timeOfDay(until)}`;
  const count = scores > 0 ? `${scores} ` : "";
  return `${count}waiting for ${name}: ${cause} (since ${timeOfDay(since)}${next})`;
}
