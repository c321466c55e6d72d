import type { DeliverableScore } from "../scores/sink.ts";

/** The number that a service gets: the rating, and of a thumb 1 or 0. */
export const numberOf = ({ thumbs, normalised, rating }: DeliverableScore) => (thumbs ? normalised : rating);

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
  ...(score.run && { run: score.run }),
});

type Names = Record<Exclude<keyof ReturnType<typeof scoreMetadata>, "run">, string | null>;

/**
 * The same as pairs of name and value, for services without nested metadata. `names` has the service's name for each, or
 * `null` where the service has its own field for it; names about the run begin with `names.run`. Unknown values are left out.
 */
export function namedMetadata(
  score: DeliverableScore,
  { run: prefix, ...names }: Names & { run: string },
): [name: string, value: string | number | boolean][] {
  const { run, ...values } = scoreMetadata(score);
  const { version, stratum, samplingProbability: sampling_probability, facts = {} } = run ?? {};
  const ofRun = { version, stratum, sampling_probability };
  const named = [
    ...Object.entries(values).map(([key, value]) => [names[key as keyof Names], value] as const),
    ...Object.entries(ofRun).map(([key, value]) => [prefix + key, value] as const),
    ...Object.entries(facts).map(([key, value]) => [`${prefix}facts.${key}`, value] as const),
  ];
  return named.flatMap(([name, value]) => (name === null || value == null ? [] : [[name, value]]));
}
