import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type OperatedService } from "../administration/operated-service.ts";
import { type MeasuredAnswer, type MeasuredSelection } from "@afterword/results/store";
import { Metrics } from "./metrics.ts";
import { addScoreGauges } from "./score-gauges.ts";

const dayInMs = 86_400_000;

/** Active CSAT surveys of one project, with answers that take their time to read. */
function world(answersBySurvey: Record<string, MeasuredAnswer[]>, readInMs = 0, until = Promise.resolve()) {
  let now = 100 * dayInMs;
  const reads: string[] = [];
  const activeSurveys = Object.keys(answersBySurvey).map((id) => ({
    id,
    definition: { slug: id, type: "csat" },
  }));
  let isAway = false;
  async function* measuredAnswers({ surveyId, since }: MeasuredSelection) {
    reads.push(surveyId);
    now += readInMs;
    await until;
    if (isAway) throw new Error("the database is away");
    yield* answersBySurvey[surveyId]!.filter(({ at }) => at >= since);
  }
  const service = {
    clock: { now: () => now, monotonic: () => now },
    directory: { projects: [{ id: "shop", activeSurveys }] },
    store: { administration: { measuredAnswers } },
  } as unknown as OperatedService;
  const metrics = new Metrics();
  addScoreGauges(metrics, service);
  const lines = async (name: string) =>
    (await metrics.text()).split("\n").filter((line) => new RegExp(`^${name}[ {]`).test(line));
  const setAway = (away: boolean) => (isAway = away);
  return { lines, reads, setAway, pass: (ms: number) => (now += ms) };
}

/** Answers of new people on one day. */
const answers = (version: string | undefined, day: number, ratings: readonly number[]): MeasuredAnswer[] =>
  ratings.map((rating, index) => ({ at: day * dayInMs + index, respondentId: null, rating, version }));

const versions = [...answers("2.3", 80, Array(60).fill(5)), ...answers("2.4", 90, Array(30).fill(1))];
const labels = 'project="shop",survey="ease",version="2.4"';

describe("gauges of scores", () => {
  it("have the newest version's score with its bounds, the baseline's lower bound, and whether it dropped", async () => {
    const { lines } = world({ ease: versions });
    const value = async (name: string) => {
      const [line, ...others] = await lines(`afterword_${name}`);
      expect(others).toEqual([]);
      expect(line).toMatch(`afterword_${name}{${labels}} `);
      return Number(line!.split(" ").at(-1));
    };
    expect(await value("score")).toBe(0);
    expect(await value("score_low")).toBe(0);
    const high = await value("score_high");
    expect(high).toBeGreaterThan(0.05);
    expect(high).toBeLessThan(await value("score_baseline_low"));
    expect(await value("score_dropped")).toBe(1);
  });

  it("are absent for surveys without versions, and for a first version, with nothing before it", async () => {
    const without = answers(undefined, 90, [1, 5]);
    const { lines } = world({ ease: without, satisfaction: answers("1.0", 90, [5]) });
    expect(await lines("afterword_score_dropped")).toEqual([]);
  });

  it("are read at most once a minute", async () => {
    const { lines, reads, pass } = world({ ease: versions });
    await lines("afterword_score");
    const once = reads.length;
    pass(59_999);
    expect(await lines("afterword_score")).toHaveLength(1);
    expect(reads).toHaveLength(once);
    pass(1);
    await lines("afterword_score");
    expect(reads).toHaveLength(2 * once);
  });

  it("take at most one percent of the time to read", async () => {
    const { lines, reads, pass } = world({ ease: versions }, 2000);
    await lines("afterword_score");
    const once = reads.length;
    pass(100 * once * 2000 - 1);
    await lines("afterword_score");
    expect(reads).toHaveLength(once);
    pass(1);
    await lines("afterword_score");
    expect(reads).toHaveLength(2 * once);
  });

  it("hold up no scrape while many answers are read, and are there once they were", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { promise, resolve } = Promise.withResolvers<void>();
    const { lines } = world({ ease: versions }, 0, promise);
    const first = lines("afterword_score");
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toEqual([]);
    resolve();
    expect(await lines("afterword_score")).toHaveLength(1);
  });

  it("are absent after a failure, and read again after the same time", async () => {
    const { lines, reads, setAway, pass } = world({ ease: versions }, 2000);
    setAway(true);
    expect(await lines("afterword_score")).toEqual([]);
    setAway(false);
    pass(199_999);
    expect(await lines("afterword_score")).toEqual([]);
    expect(reads).toHaveLength(1);
    pass(1);
    expect(await lines("afterword_score")).toHaveLength(1);
  });

  it("are bounded: the first hundred surveys with something to compare", async () => {
    const surveys = Array.from({ length: 110 }, (_, index) => [`survey-${index}`, versions] as const);
    expect(await world(Object.fromEntries(surveys)).lines("afterword_score_dropped")).toHaveLength(100);
  });
});
