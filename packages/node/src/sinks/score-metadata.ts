import type { DeliverableScore } from "../scores/sink.ts";

/** What every service gets besides a score's value and text. */
export const scoreMetadata = (score: DeliverableScore) => ({
  responseId: score.id,
  surveyId: score.surveyId,
  surveyType: score.surveyType,
  label: score.label,
  normalised: score.normalised,
  taskType: score.taskType,
  sessionId: score.sessionId,
  observationId: score.observationId,
  at: score.at,
});

/**
 * The same as pairs of name and value, for services without nested metadata. `names` has the service's name for each, or
 * `null` where the service has its own field for it. Unknown values are left out.
 */
export function namedMetadata(
  score: DeliverableScore,
  names: Record<keyof ReturnType<typeof scoreMetadata>, string | null>,
): [name: string, value: string | number][] {
  const named = Object.entries(scoreMetadata(score)).map(
    ([key, value]) => [names[key as keyof typeof names], value] as const,
  );
  return named.flatMap(([name, value]) => (name === null || value === null ? [] : [[name, value]]));
}
