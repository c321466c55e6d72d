import type { Leased } from "@afterword/protocol";
import type { RunSummary } from "../delivery/forwarder-state.ts";

const scores = (count: number) => (count === 1 ? "1 score" : `${count} scores`);

/** Says how many outcomes the service has not confirmed. */
export const unconfirmed = (count: number) =>
  `${scores(count)} delivered or refused, but not confirmed by the service`;

/** Says how many scores other forwarders hold, and until when. */
export const heldByOthers = ({ count, until }: Leased) =>
  `${scores(count)} held by another forwarder, until ${until} at the latest`;

/**
 * What a run with `--once` left, why, and what to do; empty if everything was delivered. `problems` holds the last
 * problem of each sink, by its name.
 */
export function onceReport(summary: RunSummary, problems: Readonly<Record<string, string>>): string[] {
  const { deferred, failed, isComplete, leased, unacknowledged } = summary;
  const left = [
    ...(deferred > 0 ? [`${scores(deferred)} could not be delivered now`] : []),
    ...(leased ? [heldByOthers(leased)] : []),
    ...(isComplete || leased ? [] : ["the queue was not read to its end"]),
    ...(unacknowledged > 0 ? [unconfirmed(unacknowledged)] : []),
  ];
  const refused =
    failed > 0 ? [`${scores(failed)} refused for good; see: afterword pending --include-failed`] : [];
  if (left.length + refused.length === 0) return [];
  const reasons = Object.values(problems).map((reason) => `  last reason: ${reason}`);
  const advice = left.length > 0 ? ["What is left stays pending: run the command again later."] : [];
  return [...left, ...refused, ...reasons, ...advice];
}
