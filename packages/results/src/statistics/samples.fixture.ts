import { perDraw, sampleOf, type PersonSums, type Sample } from "./sample.ts";

/** What a person answered, as values. */
export type Person = readonly number[];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const weighed = (of: (person: Person) => number) => (people: readonly Person[]) => sum(people.map(of));

/** The sums that the database makes. */
export const personSums = (people: readonly Person[]): PersonSums => ({
  people: people.length,
  squaredWeights: weighed((person) => person.length ** 2)(people),
  weightsTimesValues: weighed((person) => person.length * sum(person))(people),
  squaredValues: weighed((person) => sum(person) ** 2)(people),
});

export function counted(values: readonly number[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

export const sampleOfPeople = (people: readonly Person[]): Sample =>
  sampleOf(counted(people.flat()), personSums(people));

/** One answer of each of as many people. */
export const independent = (values: readonly number[]): Sample =>
  sampleOfPeople(values.map((value) => [value]));

export const hits = (count: number, n: number): Sample =>
  independent(Array.from({ length: n }, (_, index) => (index < count ? 1 : 0)));

/**
 * Covariance of the means of two groups by the people who answered in both, where a person's answers are one draw (Woodruff
 * 1971, Journal of the American Statistical Association 66, 411-414).
 */
export function covariance(first: Sample, second: Sample, pairs: readonly (readonly [Person, Person])[]) {
  const deviation = (person: Person, { mean }: Sample) => sum(person) - mean * person.length;
  const products = pairs.map(([one, other]) => deviation(one, first) * deviation(other, second));
  const factor = Math.sqrt(perDraw(first.people) * perDraw(second.people));
  return (factor * sum(products)) / (first.answers * second.answers);
}

/** Park and Miller's generator (1988, Communications of the ACM 31, 1192-1201). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Values with their probabilities. */
export type Values = readonly (readonly [value: number, probability: number])[];

export function draw(values: Values, random: () => number): number {
  let left = random();
  for (const [value, probability] of values) if ((left -= probability) < 0) return value;
  return values.at(-1)![0];
}
