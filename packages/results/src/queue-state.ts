import { hourInMs } from "@afterword/protocol/duration";
import { hourOf, timestamp } from "@afterword/reference-server/internal";
import { type QueueReport, type ResultsReader } from "./store/results-reader.ts";
import { counted, countText } from "./results-text.ts";

/** How the scores of a project get to the forwarder, whatever period and survey the results are of. */
export interface QueueState extends Pick<QueueReport, "waiting" | "failed" | "failures"> {
  /** When the oldest of those that wait was answered. */
  oldestAt: string | null;
  /** The hours in which scores were delivered, of the present one and the 23 before it; an hour is the moment it begins. */
  deliveredPerHour: { hour: string; delivered: number }[];
}

const reportedHours = 24;

export async function queueState(reader: ResultsReader, projectId: string, now: number): Promise<QueueState> {
  const since = hourOf(now) - (reportedHours - 1) * hourInMs;
  const { oldestAt, deliveries, waiting, failed, failures } = await reader.queue(projectId, since);
  return {
    waiting,
    oldestAt: oldestAt === undefined ? null : timestamp(oldestAt),
    failed,
    failures,
    deliveredPerHour: deliveries.map(({ hour, delivered }) => ({ hour: timestamp(hour), delivered })),
  };
}

/** `12 minutes`, or `3 hours` from two hours on. */
function age(inMs: number): string {
  const minutes = Math.max(0, Math.round(inMs / 60_000));
  const hours = Math.round(minutes / 60);
  const [count, unit] =
    minutes < 120 ? [minutes, "minute"] : hours <= 48 ? [hours, "hour"] : [Math.round(hours / 24), "day"];
  return counted(count, unit);
}

/** How many scores wait, and were delivered. */
export function queueText({ waiting, oldestAt, deliveredPerHour }: QueueState, now: number): string {
  const oldest = oldestAt === null ? "" : `, the oldest for ${age(now - Date.parse(oldestAt))}`;
  const thisHour = deliveredPerHour.find(({ hour }) => Date.parse(hour) === hourOf(now))?.delivered ?? 0;
  const total = deliveredPerHour.reduce((sum, { delivered }) => sum + delivered, 0);
  const perHour = `${countText(total)} in the last ${reportedHours} hours, ${countText(thisHour)} in the current hour`;
  return `${counted(waiting, "score")} waiting for the forwarder${oldest}; delivered: ${perHour}.`;
}

/** How many scores failed, and for each reason how many; empty if none did. */
export function failuresText({ failed, failures }: QueueState): string[] {
  if (failed === 0) return [];
  const reasons = failures.map(
    ({ reason, count }) => `${countText(count)}: ${reason ?? "the forwarder gave no reason"}`,
  );
  const explained = failures.reduce((sum, { count }) => sum + count, 0);
  const others = explained < failed ? [`${countText(failed - explained)}: other reasons`] : [];
  return [`${counted(failed, "score")} failed for good:`, ...reasons, ...others];
}
