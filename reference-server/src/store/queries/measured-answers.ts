import { setImmediate as nextTurn } from "node:timers/promises";
import { type MeasuredAnswer, type MeasuredSelection } from "../store.ts";
import { type Queries, type QueryRunner } from "./query-runner.ts";

/** Answers that are read at once: on SQLite requests wait meanwhile, for one or two milliseconds. */
const pageSize = 250;

type Row = Omit<MeasuredAnswer, "version" | "stratum"> & { sequence: number; run: string | null };

/** In two statements, since SQLite compares a pair with one column of the index only. */
async function page(queries: Queries, selection: MeasuredSelection, last: Row | undefined): Promise<Row[]> {
  const { projectId, surveyId, since } = selection;
  const answers = queries
    .selectFrom("responses")
    .select(["at", "sequence", "respondentId", "rating", "run"])
    .where("projectId", "=", projectId)
    .where("surveyId", "=", surveyId)
    .where("source", "=", "measured")
    .where("rating", "is not", null)
    .orderBy("at")
    .orderBy("sequence")
    .$narrowType<{ rating: number }>();
  if (!last) return answers.where("at", ">=", since).limit(pageSize).execute();
  const atOnce = answers.where("at", "=", last.at).where("sequence", ">", last.sequence);
  const rows = await atOnce.limit(pageSize).execute();
  const later = answers.where("at", ">", last.at).limit(pageSize - rows.length);
  return rows.length < pageSize ? [...rows, ...(await later.execute())] : rows;
}

function answerOf({ at, respondentId, rating, run }: Row): MeasuredAnswer {
  const { version, stratum } = run === null ? {} : (JSON.parse(run) as Partial<MeasuredAnswer>);
  return { at, respondentId, rating, version, stratum };
}

/** In the order of their times, page by page; between two of them other work of the process has its turn. */
export async function* measuredAnswers(
  read: QueryRunner["read"],
  selection: MeasuredSelection,
): AsyncGenerator<MeasuredAnswer> {
  let last: Row | undefined;
  let rows: Row[];
  do {
    const after = last;
    rows = await read((queries) => page(queries, selection, after));
    yield* rows.map(answerOf);
    last = rows.at(-1);
    await nextTurn();
  } while (rows.length === pageSize);
}
