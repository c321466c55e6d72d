import { withSecretKeys } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { runCommand, slowestOf, type CommandRun } from "./command-run.ts";
import { fillAnswers } from "./fill-answers.ts";
import { submitRun } from "./http-scenarios.ts";
import { rounds } from "./measure.ts";

export interface ResultsFigures {
  database: "SQLite" | "PostgreSQL";
  answers: number;
  /** Of the last 90 days. */
  recent: CommandRun;
  /** Of all answers, as is the page. */
  summary: CommandRun;
  page: CommandRun;
  /** Milliseconds that 99 of 100 submits took at most, the median of all rounds, and the median ratio of a round. */
  submits: { aloneP99: number; besideP99: number; ratio: number };
}

const runResults = (database: string, ...flags: string[]) =>
  runCommand(["results", "--db", database, "--project", "ask", ...flags]);

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/** Runs one after the other until told to stop; resolves when the last has ended. */
function keepRunning(run: () => Promise<unknown>): () => Promise<void> {
  const over = new AbortController();
  const loop = (async () => {
    while (!over.signal.aborted) await run();
  })();
  return () => {
    over.abort();
    return loop;
  };
}

/**
 * What the results of many answers take, the slowest of three, and what they do to the submits of another project in the
 * same database, in rounds with and without them.
 */
export async function benchResults(
  config: string,
  database: string,
  page: string,
  answers: number,
  requests: number,
): Promise<ResultsFigures> {
  const server = withSecretKeys(await startBuiltServer(config, database));
  try {
    await fillAnswers(database, answers);
    const all = ["--since", "800d"];
    const readPage = () => runResults(database, "--html", page, ...all);
    const figures = {
      recent: await slowestOf(3, () => runResults(database, "--json")),
      summary: await slowestOf(3, () => runResults(database, "--json", ...all)),
      page: await slowestOf(3, readPage),
    };
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      alone.push((await submitRun(server, requests)).p99);
      const stop = keepRunning(readPage);
      beside.push((await submitRun(server, requests)).p99);
      await stop();
    }
    // The first round warms up.
    const [aloneP99s, besideP99s] = [alone.slice(1), beside.slice(1)];
    const ratio = median(besideP99s.map((p99, round) => p99 / aloneP99s[round]!));
    const submits = { aloneP99: median(aloneP99s), besideP99: median(besideP99s), ratio };
    return {
      database: database.startsWith("postgres") ? "PostgreSQL" : "SQLite",
      answers,
      ...figures,
      submits,
    };
  } finally {
    await server.stop();
  }
}
