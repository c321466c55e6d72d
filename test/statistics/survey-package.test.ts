import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerFolder } from "../end-to-end/server-program.ts";
import { seededRandom } from "../faults/seeded-random.ts";

const r = (...words: string[]) => spawnSync("Rscript", words, { encoding: "utf8" });
const hasSurveyPackage = r("-e", "library(survey)").status === 0;
if (!hasSurveyPackage) console.warn("skipped: no R with the package survey to compare intervals with");

const script = fileURLToPath(new URL("survey-package.R", import.meta.url));
const scales = { nps: [0, 10], csat: [1, 5], ces: [1, 7] } as const;
type Type = keyof typeof scales;

const valueOf: Record<Type, (rating: number) => number> = {
  nps: (rating) => (rating >= 9 ? 1 : rating <= 6 ? -1 : 0),
  csat: (rating) => (rating >= 4 ? 1 : 0),
  ces: (rating) => rating,
};

interface Answer {
  person: string;
  rating: number;
  /** Absent: runs are not counted. */
  run?: { version: string; stratum?: string };
}

/** People who often repeat their usual rating; the answers of each by their number. */
function answersOf(type: Type, people: number, answers: (person: number) => number): Answer[] {
  const random = seededRandom(people);
  const [min, max] = scales[type];
  const rating = () => min + Math.floor(Math.sqrt(random()) * (max - min + 1));
  return Array.from({ length: people }, (_, person) => {
    const usual = rating();
    return Array.from({ length: answers(person) }, () => ({
      person: `person-${person}`,
      rating: random() < 0.5 ? usual : rating(),
    }));
  }).flat();
}

/** Answers to runs of three classes, which were answered with unequal probabilities. */
function weighted(answers: Answer[]): Answer[] {
  const random = seededRandom(answers.length);
  return answers.map((answer) => {
    const version = random() < 0.6 ? "1" : "2";
    const isFailed = version === "2" && random() < (answer.rating < 5 ? 0.7 : 0.2);
    return { ...answer, run: isFailed ? { version, stratum: "failed" } : { version } };
  });
}

const classOf = ({ run }: Answer) => (run ? `${run.version}/${run.stratum ?? ""}` : "all");
/** How many runs there are of each class; without classes the number makes no difference. */
const runsOf: Record<string, number> = { "1/": 4000, "2/": 1500, "2/failed": 200, "all": 1 };

const sets: Record<string, { type: Type; answers: Answer[] }> = {
  "once": { type: "csat", answers: answersOf("csat", 200, () => 1) },
  "even": { type: "csat", answers: answersOf("csat", 20, () => 10) },
  "uneven": { type: "csat", answers: answersOf("csat", 31, (person) => 1 + (person % 9) ** 2) },
  "promoters": { type: "nps", answers: answersOf("nps", 45, (person) => 1 + (person % 12)) },
  "effort": { type: "ces", answers: answersOf("ces", 25, (person) => 1 + (person % 7)) },
  "effort-of-two": { type: "ces", answers: answersOf("ces", 2, () => 6) },
  "weighted": { type: "csat", answers: weighted(answersOf("csat", 60, (person) => 1 + (person % 9))) },
  "weighted-promoters": {
    type: "nps",
    answers: weighted(answersOf("nps", 80, (person) => 1 + (person % 5))),
  },
  "weighted-effort": { type: "ces", answers: weighted(answersOf("ces", 150, () => 1)) },
  // Everyone contradicts themselves, so that the answers vary more than the people.
  "contrary": {
    type: "csat",
    answers: answersOf("csat", 12, () => 1).flatMap((answer, index) =>
      index < 4 ? [answer] : [1, 5].map((rating) => ({ ...answer, rating })),
    ),
  },
};

interface Score {
  value: number;
  low: number;
  high: number;
  n: number;
  people: number;
  effectiveN: number;
  isWeighted: boolean;
}

const folder = new ServerFolder();
afterAll(() => folder[Symbol.dispose]());

/** What the published program says of the sets. */
async function ourScores(): Promise<Map<string, Score>> {
  const survey = { question: "How?", presentation: "corner", trigger: "manual", status: "active" };
  const surveys = Object.entries(sets).map(([id, { type }]) => ({ id, slug: id, type, ...survey }));
  const shop = { id: "shop", name: "Shop", allowedOrigins: [], surveys };
  writeFileSync(folder.file("shop.json"), JSON.stringify({ projects: [shop] }));
  await folder.run("project", "create", "shop", "--name", "Shop");
  await folder.run("apply", "shop.json");
  const connection = new Database(folder.file("afterword.db"));
  const insert = connection.prepare(`
    INSERT INTO responses (id, project_id, survey_id, survey_version, respondent_id, rating, run, session_id, at, source, score_state)
    VALUES (?, 'shop', ?, 1, ?, ?, ?, 'session', 0, 'measured', 'delivered')`);
  const count = connection.prepare("INSERT INTO run_counts VALUES ('shop', ?, 0, ?, ?, 'run', '', ?)");
  for (const [set, { answers }] of Object.entries(sets)) {
    for (const [index, { person, rating, run }] of answers.entries())
      insert.run(`${set}-${index}`, set, person, rating, run && JSON.stringify(run));
    for (const [name, [{ run }]] of Map.groupBy(answers, classOf) as Map<string, [Answer]>)
      if (run) count.run(set, run.version, run.stratum ?? "", runsOf[name]);
  }
  connection.close();
  const { out } = await folder.run("results", "--project", "shop", "--since", "1970-01-01", "--json");
  const results = JSON.parse(out) as { surveys: { id: string; score: Score }[] };
  return new Map(results.surveys.map(({ id, score }) => [id, score]));
}

/** Numbers, of which those that R does not have are NaN. */
type Figures = Record<
  | "answers"
  | "freedom"
  | "mean"
  | "effect"
  | "ratio"
  | "low"
  | "high"
  | "betaLow"
  | "betaHigh"
  | "ourLow"
  | "ourHigh"
  | "postMean"
  | "postEffect",
  number
>;

function packageFigures(ours: Map<string, Score>): Map<string, Figures> {
  const rows = Object.entries(sets).flatMap(([set, { type, answers }]) =>
    answers.map((answer) => {
      const value = valueOf[type](answer.rating);
      const name = classOf(answer);
      return `${set},${answer.person},${value},${name},${runsOf[name]}`;
    }),
  );
  writeFileSync(folder.file("answers.csv"), ["set,person,value,class,runs", ...rows].join("\n"));
  const effective = [...ours].map(([set, { effectiveN }]) => `${set},${effectiveN}`);
  writeFileSync(folder.file("ours.csv"), ["set,effective", ...effective].join("\n"));
  const { status, stdout, stderr } = r(script, folder.file("answers.csv"), folder.file("ours.csv"));
  if (status !== 0) throw new Error(`R failed: ${stderr}`);
  const [heading, ...lines] = stdout.trim().split("\n");
  const names = heading!.split(",");
  return new Map(
    lines.map((line) => {
      const cells = line.split(",");
      return [
        cells[0]!,
        Object.fromEntries(names.map((name, index) => [name, Number(cells[index])])) as Figures,
      ];
    }),
  );
}

describe.skipIf(!hasSurveyPackage)("results beside R's survey package", () => {
  let ours: Map<string, Score>;
  let theirs: Map<string, Figures>;
  const of = (set: string) => ({ our: ours.get(set)!, their: theirs.get(set)! });

  beforeAll(async () => {
    ours = await ourScores();
    theirs = packageFigures(ours);
  });

  const isWeighted = (set: string) => set.startsWith("weighted");

  it.each(Object.keys(sets).filter(isWeighted))(
    "%s: have the mean and variance of its poststratified design",
    (set) => {
      const { our, their } = of(set);
      const { type } = sets[set]!;
      expect(our.isWeighted).toBe(true);
      expect(our.value / (type === "nps" ? 100 : 1)).toBeCloseTo(their.postMean, 9);
      const ratio = type === "ces" ? 1 : their.ratio;
      const effective = Math.min(their.answers, their.answers / their.postEffect) * ratio;
      expect(our.effectiveN / effective).toBeCloseTo(1, 6);
    },
  );

  it.each(Object.keys(sets).filter((set) => !isWeighted(set)))(
    "%s: have its mean, its degrees of freedom and its design effect",
    (set) => {
      const { our, their } = of(set);
      const scale = sets[set]!.type === "nps" ? 100 : 1;
      expect(our.n).toBe(their.answers);
      expect(our.people - 1).toBe(their.freedom);
      expect(our.value / scale).toBeCloseTo(their.mean, 9);
      const ratio = sets[set]!.type === "ces" ? 1 : their.ratio;
      const effective = Math.min(their.answers, their.answers / their.effect) * ratio;
      expect(our.effectiveN / effective).toBeCloseTo(1, 6);
    },
  );

  it.each(["once", "even", "uneven"])("%s: lead to the interval of Korn and Graubard", (set) => {
    const { their } = of(set);
    expect(their.effect).toBeGreaterThan(0.99);
    expect(their.ourLow).toBeCloseTo(their.betaLow, 6);
    expect(their.ourHigh).toBeCloseTo(their.betaHigh, 6);
  });

  it("of a mean have its interval, within the scale", () => {
    const { our, their } = of("effort");
    expect(our.low).toBeCloseTo(their.low, 6);
    expect(our.high).toBeCloseTo(their.high, 6);
    expect(of("effort-of-two").our).toMatchObject({ low: 1, high: 7 });
  });

  it("claim no more than the answers, though people contradict themselves", () => {
    const { our, their } = of("contrary");
    expect(their.effect).toBeLessThan(1);
    expect(our.effectiveN).toBeLessThan(our.n);
  });
});
