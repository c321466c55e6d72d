import type { Clock } from "../options/clock.ts";
import type { HealthRecord } from "./health.ts";
import type { Pacer } from "./pacer.ts";

/**
 * A run that must end gives up on a sink that has failed so many times in a row, that asks for a longer pause, or that
 * still fails when no row has met its end for as long.
 */
const failuresBeforeGivingUp = 5;
const longestPauseOfRunInMs = 60_000;

/** Made at the beginning of a run; what it returns is asked whenever the sink has failed: must the run give up? */
export function runPatience(pacer: Pacer, health: HealthRecord, clock: Clock): () => boolean {
  const settled = () => health.counts.delivered + health.counts.failed;
  let last = { settled: settled(), at: clock.now() };
  return () => {
    const now = clock.now();
    if (last.settled !== settled()) last = { settled: settled(), at: now };
    return (
      pacer.failures >= failuresBeforeGivingUp ||
      (pacer.pause?.notBefore ?? now) - now > longestPauseOfRunInMs ||
      now - last.at > longestPauseOfRunInMs
    );
  };
}
