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

/** A service's own names for some of them; `null` where it has its own field for one. */
interface MetadataNames extends Partial<Record<keyof ReturnType<typeof scoreMetadata>, string | null>> {
  /** Begins all other names, which are in snake case. Default `afterword.`. */
  prefix?: string;
  /** Begins the names about the run. Default: the prefix and `run.`. */
  run?: string;
}

/** The same as pairs of name and value, for services without nested metadata. Unknown values are left out. */
export function namedMetadata(
  score: DeliverableScore,
  { prefix = "afterword.", run: runPrefix = `${prefix}run.`, ...names }: MetadataNames,
): [name: string, value: string | number | boolean][] {
  const { run, ...values } = scoreMetadata(score);
  const { version, stratum, samplingProbability: sampling_probability, facts = {} } = run ?? {};
  const snakeCase = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const inSnakeCase = Object.fromEntries(Object.keys(values).map((key) => [key, prefix + snakeCase(key)]));
  const nameOf: Record<string, string | null> = { ...inSnakeCase, ...names };
  const named = [
    ...Object.entries(values).map(([key, value]) => [nameOf[key]!, value] as const),
    ...Object.entries({ version, stratum, sampling_probability }).map(
      ([key, value]) => [runPrefix + key, value] as const,
    ),
    ...Object.entries(facts).map(([key, value]) => [`${runPrefix}facts.${key}`, value] as const),
  ];
  return named.flatMap(([name, value]) => (name === null || value == null ? [] : [[name, value]]));
}
