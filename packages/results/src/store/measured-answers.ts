import { setImmediate as nextTurn } from "node:timers/promises";
import { type ScoredRun } from "@afterword/protocol";
import { type Queries, type QueryRunner } from "./schema.ts";

export interface MeasuredSelection {
  projectId: string;
  surveyId: string;
  /** The first moment that counts. */
  since: number;
}

/** An answer with what its mint attested of the run. */
export interface MeasuredAnswer extends Pick<ScoredRun, "version" | "stratum"> {
  at: number;
  /** Null without a known person. */
  respondentId: string | null;
  rating: number;
}

/** Answers that are read at once: on SQLite requests wait meanwhile, for one or two milliseconds. */
const pageSize = 250;

/** Answers of all surveys that one statement looks through, so that a survey with few of them holds up requests no longer. */
const mostSearched = 2500;

type Row = Omit<MeasuredAnswer, "version" | "stratum"> & { sequence: number; run: string | null };

/** The selection up to a moment; absent: to the last answer. */
type Span = MeasuredSelection & { until: number | undefined };

/** In two statements, since SQLite compares a pair with one column of the index only. */
async function page(queries: Queries, span: Span, last: Row | undefined): Promise<Row[]> {
  const { projectId, surveyId, since, until = Number.MAX_SAFE_INTEGER } = span;
  const answers = queries
    .selectFrom("responses")
    .select(["at", "sequence", "respondentId", "rating", "run"])
    .where("projectId", "=", projectId)
    .where("surveyId", "=", surveyId)
    .where("source", "=", "measured")
    .where("rating", "is not", null)
    .where("at", "<", until)
    .orderBy("at")
    .orderBy("sequence")
    .$narrowType<{ rating: number }>();
  if (!last) return answers.where("at", ">=", since).limit(pageSize).execute();
  const atOnce = answers.where("at", "=", last.at).where("sequence", ">", last.sequence);
  const rows = await atOnce.limit(pageSize).execute();
  const later = answers.where("at", ">", last.at).limit(pageSize - rows.length);
  return rows.length < pageSize ? [...rows, ...(await later.execute())] : rows;
}

/** Where so many answers from a moment on end; nothing if there are fewer. Reads an index alone. */
async function endOfSearch(
  queries: Queries,
  { projectId }: MeasuredSelection,
  since: number,
): Promise<number | undefined> {
  const times = queries.selectFrom("responses").select("at").where("projectId", "=", projectId);
  const fromThere = times.where("at", ">=", since).orderBy("at").orderBy("sequence");
  const next = await fromThere.offset(mostSearched).limit(1).executeTakeFirst();
  return next && next.at + 1;
}

function answerOf({ at, respondentId, rating, run }: Row): MeasuredAnswer {
  const { version, stratum } = run === null ? {} : (JSON.parse(run) as Partial<MeasuredAnswer>);
  return { at, respondentId, rating, version, stratum };
}

async function* answersOf(read: QueryRunner["read"], span: Span): AsyncGenerator<MeasuredAnswer> {
  let last: Row | undefined;
  let rows: Row[];
  do {
    const after = last;
    rows = await read((queries) => page(queries, span, after));
    yield* rows.map(answerOf);
    last = rows.at(-1);
    await nextTurn();
  } while (rows.length === pageSize);
}

/** In the order of their times, page by page; between two of them other work of the process has its turn. */
export async function* measuredAnswers(
  read: QueryRunner["read"],
  selection: MeasuredSelection,
): AsyncGenerator<MeasuredAnswer> {
  let next: number | undefined = selection.since;
  while (next !== undefined) {
    const since: number = next;
    next = await read((queries) => endOfSearch(queries, selection, since));
    yield* answersOf(read, { ...selection, since, until: next });
  }
}
