import type { DeliverableScore } from "../scores/sink.ts";

/** What every service is told about a score besides its value and its text. */
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
 * The same as pairs, for services that take single values: each with the name that it has there, `null` where the
 * service has a field of its own for it. What the score does not know is left out.
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
