import { expect, describe, it } from "vitest";
import { type AnsweredClass, score, type Score, scored, weightedScore, weightsOf } from "@afterword/results";

const isFull = process.env["AFTERWORD_PROOFS"] === "full";
const repetitions = isFull ? 10_000 : 300;

/** Park and Miller's generator (1988, Communications of the ACM 31, 1192-1201). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Run {
  person: number;
  isFailed: boolean;
  version: "1" | "2";
  isHappy: boolean;
}

/** One run in seven fails, and people are unhappy with most of those. A few people have many runs. */
function populationOf(size: number): Run[][] {
  const random = seeded(7);
  const heavy = Math.round(size / 500);
  const light = Math.round((size - heavy * 50) / 5);
  return Array.from({ length: heavy + light }, (_, person) => {
    const usual = random();
    return Array.from({ length: person < heavy ? 50 : 5 }, (): Run => {
      const version = random() < 0.5 ? "1" : "2";
      const isFailed = random() < (version === "1" ? 0.2 : 0.1);
      const mood = random() < 0.5 ? usual : random();
      return { person, isFailed, version, isHappy: mood < (isFailed ? 0.2 : 0.8) };
    });
  });
}

/** Failed runs are asked about, and three in ten of the others. */
const others = 0.3;

/** One person in ten ever answers, and then about half of what they are asked: together one in twenty. */
const answering = 0.1;
const timesAsOften = 3;
type Reason = (run: Run) => boolean;
const reasons: Record<"facts" | "rating", Reason> = {
  facts: ({ isFailed }) => isFailed,
  rating: ({ isHappy }) => !isHappy,
};

/** How probable it is that someone who answers at all answers a run that no reason makes likelier. */
function propensity(population: readonly Run[][], isReason: Reason): number {
  const asked = population.flat().map((run) => ({ run, weight: run.isFailed ? 1 : others }));
  const sum = (of: (one: (typeof asked)[number]) => number) =>
    asked.reduce((total, one) => total + of(one), 0);
  const likelier = sum(({ run, weight }) => weight * (isReason(run) ? timesAsOften : 1));
  return (0.05 / answering) * (sum(({ weight }) => weight) / likelier);
}

const classKey = ({ isFailed, version }: Run) => `${version}${isFailed ? "failed" : ""}`;

function classesOf(population: readonly Run[][]): Map<string, AnsweredClass> {
  const groups = Map.groupBy(population.flat(), classKey);
  return new Map(
    [...groups].map(([key, runs]) => {
      const { version, isFailed } = runs[0]!;
      const named = { version, stratum: isFailed ? "failed" : null };
      return [key, { ...named, runs: runs.length, answers: 0, counts: [] }];
    }),
  );
}

/** The people's answers, as the sampler and their propensity make them. */
function answersOf(
  population: readonly Run[][],
  isReason: Reason,
  least: number,
  random: () => number,
): Run[][] {
  const isAnswered = (run: Run) =>
    (run.isFailed || random() < others) && random() < least * (isReason(run) ? timesAsOften : 1);
  return population.flatMap((runs) => {
    if (random() >= answering) return [];
    const answered = runs.filter(isAnswered);
    return answered.length > 0 ? [answered] : [];
  });
}

const ratingsOf = (runs: readonly Run[]): number[] => {
  const happy = runs.filter(({ isHappy }) => isHappy).length;
  return [0, runs.length - happy, 0, 0, 0, happy];
};

/** The raw and the weighted score of the answers, by the functions of the command. */
function scoresOf(
  sizes: ReadonlyMap<string, AnsweredClass>,
  people: readonly Run[][],
): [raw: Score, weighted: Score] {
  const groups = Map.groupBy(people.flat(), classKey);
  const classes = [...sizes].map(([key, size]) => {
    const runs = groups.get(key) ?? [];
    return { ...size, answers: runs.length, counts: ratingsOf(runs) };
  });
  const weights = weightsOf("csat", classes);
  if (typeof weights === "string") throw new Error(weights);
  const residualOf = new Map(weights.classes.map((one) => [`${one.version!}${one.stratum ?? ""}`, one]));
  const squares = people.map((runs) => {
    const terms = runs.map((run) => {
      const { factor, mean } = residualOf.get(classKey(run))!;
      return factor * (Number(run.isHappy) - mean);
    });
    return terms.reduce((sum, one) => sum + one, 0) ** 2;
  });
  const total = (of: (runs: readonly Run[]) => number) => people.reduce((sum, runs) => sum + of(runs), 0);
  const happy = (runs: readonly Run[]) => ratingsOf(runs)[5]!;
  const raw = scored("csat", {
    counts: ratingsOf(people.flat()),
    sums: {
      people: people.length,
      squaredWeights: total(({ length }) => length ** 2),
      weightsTimesValues: total((runs) => runs.length * happy(runs)),
      squaredValues: total((runs) => happy(runs) ** 2),
    },
  });
  const sums = { people: people.length, squares: squares.reduce((sum, one) => sum + one, 0) };
  return [score({ type: "csat" }, raw), score({ type: "csat" }, weightedScore("csat", weights, sums), true)];
}

const truthOf = (population: readonly Run[][]): number => {
  const all = population.flat();
  return all.filter(({ isHappy }) => isHappy).length / all.length;
};

const patience = 120_000;

describe(
  "a population of 100,000 runs: of those asked about, one in twenty is answered, unhappy people's three times as often",
  { timeout: patience },
  () => {
    const population = populationOf(100_000);
    const sizes = classesOf(population);
    const truth = truthOf(population);

    function coverage(isReason: Reason) {
      const least = propensity(population, isReason);
      const random = seeded(11);
      const held = [0, 0];
      const values = [0, 0];
      for (let repetition = 0; repetition < repetitions; repetition++)
        for (const [index, { value, low, high }] of scoresOf(
          sizes,
          answersOf(population, isReason, least, random),
        ).entries()) {
          if (low! <= truth && truth <= high!) held[index]! += 1;
          values[index]! += value! / repetitions;
        }
      const [raw, weighted] = held.map((count) => (100 * count) / repetitions);
      if (isFull)
        console.log(
          `truth ${truth.toFixed(4)}; raw ${values[0]!.toFixed(4)}, ${raw!.toFixed(1)} %; weighted ${values[1]!.toFixed(4)}, ${weighted!.toFixed(1)} %`,
        );
      return { raw: raw!, weighted: weighted!, mean: values[1]! };
    }

    it("is in the weighted interval in 94 to 96 % of all samples where answering depends on recorded facts", () => {
      const found = coverage(reasons.facts);
      // Of few repetitions more than that can be chance.
      const [least, most] = isFull ? [94, 96] : [91, 98];
      expect(found.weighted).toBeGreaterThanOrEqual(least!);
      expect(found.weighted).toBeLessThanOrEqual(most!);
      expect(found.mean).toBeCloseTo(truth, 2);
      expect(found.raw).toBeLessThan(1);
    });

    it("is not where answering depends on the rating itself: the assumption of the sentence does not hold", () => {
      const found = coverage(reasons.rating);
      expect(found.weighted).toBeLessThan(1);
      expect(found.mean).toBeLessThan(truth - 0.1);
    });
  },
);
