import { type Clock, type Project, timestamp, UsageError } from "@afterword/reference-server/internal";
import {
  type AnswerRow,
  type Dimension,
  type ResultsReader,
  type ResultsStore,
} from "./store/results-reader.ts";
import { readAnswers } from "./answers.ts";
import { type Change, type Comparison } from "./changes.ts";
import { changesFromBefore, changesFromVersion, changesOfTaskTypes } from "./compare.ts";
import { mostGroups } from "./counted-runs.ts";
import { groupingName, groupings, isSpan, type Grouping } from "./groupings.ts";
import { isolated } from "./results-text.ts";
import { queueState, type QueueState } from "./queue-state.ts";
import { surveyResults, type SurveyResults } from "./survey-results.ts";
import { before, type Period } from "./period.ts";
import { type Reading, readAnsweredPeriod } from "./answered-period.ts";

export interface ResultsQuery extends Period {
  survey?: string;
  by?: Grouping;
  measuredOnly?: boolean;
  compare?: Comparison;
  /** A version of the agent with which the others are compared. */
  baseline?: string;
}

export interface Results {
  project: string;
  /** When the period begins, and the first moment after it. */
  since: string;
  until: string;
  /** In which days and weeks begin. */
  timezone: string;
  surveys: SurveyResults[];
  queue: QueueState;
  changes?: Change[];
}

/** Deleted surveys too: their answers are still there. @throws UsageError that names the surveys there are */
function surveysOf(project: Project, name: string | undefined): Project["surveys"] {
  if (name === undefined) return project.surveys;
  const found = project.surveys.filter(({ id, slug }) => id === name || slug === name);
  if (found.length > 0) return found;
  const known = project.surveys.map(({ slug }) => slug).join(", ") || "none yet";
  throw new UsageError(`The project "${project.id}" has no survey "${name}". Its surveys: ${known}.`);
}

/** @throws UsageError if no answer has such a fact */
async function checkFact({ reader, selection, answered }: Reading, by: { fact: string }): Promise<void> {
  if (answered.tallies(by).some(({ key }) => key !== null)) return;
  const facts = (await reader.factNames(selection)).map(isolated).join(", ");
  throw new UsageError(
    `--by "${by.fact}": no answer that was selected has such a fact. Its runs' facts: ${facts || "none"}. Other groups: ${groupings.join(", ")}.`,
  );
}

/** Hands on answers until they are of too many groups, which it is no use to read to their end. @throws UsageError */
async function* ofFewGroups(
  parts: AsyncIterable<readonly AnswerRow[]>,
  { by: grouped, baseline, since }: ResultsQuery,
  dimensions: readonly Dimension[],
): AsyncGenerator<readonly AnswerRow[]> {
  const by = baseline === undefined ? grouped : "version";
  const place = by === undefined || isSpan(by) ? undefined : 4 + dimensions.indexOf(by);
  const keys = new Set<unknown>();
  const check = (more: string) => {
    if (keys.size <= mostGroups) return;
    const flag = baseline === undefined ? `--by "${groupingName(by!)}"` : "--baseline";
    throw new UsageError(
      `${flag} gives ${keys.size}${more} groups, more than ${mostGroups}: select less with --survey, --since and --until.`,
    );
  };
  for await (const rows of parts) {
    check(" or more");
    if (place !== undefined) for (const row of rows) if (row[2] >= since) keys.add(row[place]);
    yield rows;
  }
  check("");
}

/** Those that every score needs, and what the query groups or compares by. */
function dimensionsOf({ by, compare }: ResultsQuery): Dimension[] {
  const named = ["version", "stratum", by, compare?.kind === "taskTypes" ? "taskType" : undefined] as const;
  return [...new Set(named)].filter((one): one is Dimension => one !== undefined && !isSpan(one));
}

/** Reads the answers once, for all groups and comparisons. */
export async function readingOf(
  reader: ResultsReader,
  project: Project,
  query: ResultsQuery,
  more: Dimension[] = [],
): Promise<Reading> {
  const { survey, since: first, until, zone, measuredOnly } = query;
  const surveys = surveysOf(project, survey);
  const surveyIds = survey === undefined ? undefined : surveys.map(({ id }) => id);
  const selection = { projectId: project.id, surveyIds, since: first, until, zone, measuredOnly };
  const dimensions = [...new Set([...dimensionsOf(query), ...more])];
  const isWithBefore = query.compare?.kind === "previous";
  const since = isWithBefore ? before(selection).since : first;
  const rows = reader.answers({ ...selection, since }, dimensions);
  const answers = await readAnswers(ofFewGroups(rows, query, dimensions), dimensions);
  const own = isWithBefore ? answers.within(first, until) : answers;
  const answered = await readAnsweredPeriod(reader, selection, surveys, own);
  const dismissals = await reader.dismissals(selection);
  return { reader, selection, surveys, answers, answered, dismissals };
}

export function resultsBy(reading: Reading, by: Grouping | undefined): SurveyResults[] {
  const { surveys } = reading;
  const results = surveys.map((survey) => surveyResults(survey, by, reading));
  // A deleted survey without answers says nothing.
  return results.filter(({ responses }, index) => surveys[index]!.deletedAt === undefined || responses > 0);
}

/** @throws UsageError for a baseline that no answer is of */
export async function changesIn(
  reading: Reading,
  { baseline, compare }: Pick<ResultsQuery, "baseline" | "compare">,
): Promise<Change[] | undefined> {
  if (baseline !== undefined) return changesFromVersion(reading, baseline);
  if (compare?.kind === "previous") return changesFromBefore(reading);
  return compare && changesOfTaskTypes(reading, compare.from, compare.to);
}

/** What people said, as counts and scores. @throws UsageError for an unknown survey */
export const readResults = (
  store: ResultsStore,
  clock: Clock,
  project: Project,
  query: ResultsQuery,
): Promise<Results> =>
  store.readResults(async (reader) => {
    const reading = await readingOf(reader, project, query);
    const { by, zone } = query;
    if (typeof by === "object") await checkFact(reading, by);
    const surveys = resultsBy(reading, by);
    const queue = await queueState(reader, project.id, clock.now());
    const changes = await changesIn(reading, query);
    const [since, until] = [timestamp(query.since), timestamp(query.until)];
    const period = { since, until, timezone: zone.name };
    return { project: project.id, ...period, surveys, queue, ...(changes && { changes }) };
  });
