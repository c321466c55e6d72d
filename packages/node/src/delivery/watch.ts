import { silentLogger } from "../options/logger.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ForwarderStatus, Waiting } from "./forwarder-status.ts";

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

/**
 * Reads the status once a second while a run lasts, and logs what the forwarder waits for and what was refused: a new reason at
 * once, a known one once a minute.
 */
export async function watch(
  { clock, logger }: Pick<DeliverySettings, "clock" | "logger">,
  read: () => ForwarderStatus,
  over: AbortSignal,
): Promise<void> {
  // Without a log, no timer has to run.
  if (logger === silentLogger) return;
  const loggedAt = new Map<string, number>();
  let refusedBefore = read().failed;
  const isDue = (reason: string) => {
    const now = clock.now();
    for (const [known, at] of loggedAt) if (now - at >= repeatEveryInMs) loggedAt.delete(known);
    if (loggedAt.has(reason)) return false;
    loggedAt.set(reason, now);
    return true;
  };
  for (;;) {
    await clock.sleep(lookEveryInMs, over);
    if (over.aborted) return;
    const { waiting, failed, lastRefusal } = read();
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
