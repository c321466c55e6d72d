import { type Logger, silentLogger } from "../options/logger.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ForwarderStatus, Waiting } from "./forwarder-status.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

const lookEveryInMs = 1000;
const repeatEveryInMs = 60_000;

/** Reads the status once a second while a run lasts, and at its end, for the log and for telemetry. */
export async function watch(
  { clock, logger }: Pick<DeliverySettings, "clock" | "logger">,
  loading: Promise<Telemetry>,
  read: () => ForwarderStatus,
  over: AbortSignal,
): Promise<void> {
  const telemetry = await loading;
  // Without a log and without a meter, no timer has to run.
  if (logger === silentLogger && telemetry.lag === noTelemetry.lag) return;
  const lines = new WaitingLines(logger);
  while (!over.aborted) {
    await clock.sleep(lookEveryInMs, over);
    const status = read();
    for (const { sink, lagInMs } of status.sinks) if (lagInMs !== null) telemetry.lag(sink, lagInMs);
    if (!over.aborted) lines.log(status, clock.now());
  }
}

/** What the forwarder waits for and what was refused: a new reason at once, a known one once a minute. */
class WaitingLines {
  readonly #logger: Logger;
  readonly #loggedAt = new Map<string, number>();
  #refusedBefore = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  log({ waiting, failed, lastRefusal }: ForwarderStatus, now: number): void {
    for (const one of waiting)
      if (this.#isDue(`${one.for} ${one.reason}`, now)) this.#logger.warn(lineOf(one));
    const refused = failed - this.#refusedBefore;
    if (refused === 0 || !this.#isDue(`refused ${lastRefusal}`, now)) return;
    this.#refusedBefore = failed;
    this.#logger.warn(`${refused} refused for good: ${lastRefusal}`);
  }

  #isDue(what: string, now: number): boolean {
    for (const [known, at] of this.#loggedAt) if (now - at >= repeatEveryInMs) this.#loggedAt.delete(known);
    if (this.#loggedAt.has(what)) return false;
    this.#loggedAt.set(what, now);
    return true;
  }
}

const timeOfDay = (time: string) => `${time.slice(11, 19)}Z`;

/** How many scores wait, for which sink or service, and why. */
export function whatWaits({ for: name, reason, scores }: Waiting): string {
  const cause = reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;
  return `${scores > 0 ? `${scores} ` : ""}waiting for ${name}: ${cause}`;
}

function lineOf(waiting: Waiting): string {
  const next = waiting.until === null ? "" : `, next attempt ${timeOfDay(waiting.until)}`;
  return `${whatWaits(waiting)} (since ${timeOfDay(waiting.since)}${next})`;
}
