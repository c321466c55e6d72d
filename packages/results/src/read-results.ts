import {
  type Project,
  type Clock,
  type SurveyRecord,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import {
  type AnswerRow,
  type Dimension,
  type ResultsReader,
  type ResultsSelection,
  type ResultsStore,
} from "./store/results-reader.ts";
import { Answers } from "./answers.ts";
import { type Change, type Comparison } from "./changes.ts";
import { changesFromBefore, changesFromVersion, changesOfTaskTypes } from "./compare.ts";
import { isCounted, mostGroups } from "./counted-runs.ts";
import { groupingName, groupings, isSpan, type Grouping } from "./groupings.ts";
import { isolated } from "./isolated.ts";
import { queueState, type QueueState } from "./queue-state.ts";
import { surveyResults, type SurveyResults } from "./survey-results.ts";
import { type Tally } from "./tally.ts";
import { before, type Period } from "./period.ts";
import { AnsweredPeriod } from "./answered-period.ts";

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
function surveysOf(project: Project, name: string | undefined): readonly SurveyRecord[] {
  if (name === undefined) return project.surveys;
  const found = project.surveys.filter(({ id, slug }) => id === name || slug === name);
  if (found.length > 0) return found;
  const known = project.surveys.map(({ slug }) => slug).join(", ") || "none yet";
  throw new UsageError(`The project "${project.id}" has no survey "${name}". Its surveys: ${known}.`);
}

function selectionOf(project: Project, query: ResultsQuery): ResultsSelection & Period {
  const { survey, since, until, zone, measuredOnly } = query;
  const surveyIds = survey === undefined ? undefined : surveysOf(project, survey).map(({ id }) => id);
  return { projectId: project.id, surveyIds, since, until, zone, measuredOnly };
}

/** @throws UsageError if no answer has such a fact */
async function checkFact(
  reader: ResultsReader,
  selection: ResultsSelection,
  fact: string,
  tallies: readonly Tally[],
): Promise<void> {
  if (tallies.some(({ key }) => key !== null)) return;
  const facts = (await reader.factNames(selection)).map((name) => isolated(name)).join(", ");
  throw new UsageError(
    `--by "${fact}": no answer that was selected has such a fact. Its runs' facts: ${facts || "none"}. Other groups: ${groupings.join(", ")}.`,
  );
}

/** Hands on answers until they are of too many groups, which it is no use to read to their end. @throws UsageError */
async function* ofFewGroups(
  parts: AsyncIterable<readonly AnswerRow[]>,
  { by: grouped, baseline, since }: ResultsQuery,
  dimensions: readonly Dimension[],
): AsyncGenerator<readonly AnswerRow[]> {
  const by = baseline === undefined ? grouped : "version";
  const isLimited = by !== undefined && !isSpan(by);
  const place = 4 + dimensions.findIndex((one) => one === by);
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
    if (isLimited) for (const row of rows) if (row[2] >= since) keys.add(row[place]);
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
) {
  const selection = selectionOf(project, query);
  const surveys = surveysOf(project, query.survey);
  const dimensions = [...new Set([...dimensionsOf(query), ...more])];
  const isWithBefore = query.compare?.kind === "previous";
  const since = isWithBefore ? before(selection).since : selection.since;
  const rows = reader.answers({ ...selection, since }, dimensions);
  const answers = await Answers.read(ofFewGroups(rows, query, dimensions), dimensions);
  const own = isWithBefore ? answers.within(selection.since, selection.until) : answers;
  const answered = await AnsweredPeriod.read(reader, selection, surveys, own);
  const dismissals = await reader.dismissals(selection);
  return { reader, selection, surveys, answers, answered, dismissals };
}

type Reading = Awaited<ReturnType<typeof readingOf>>;

export function resultsBy(
  { surveys, answered, dismissals, selection }: Reading,
  by: Grouping | undefined,
): SurveyResults[] {
  const { runs } = answered;
  const counted = isCounted(by) ? runs.groups(by) : undefined;
  const whole = answered.tallies("none");
  const groups = by ? answered.tallies(by) : [];
  const results = surveys.map((survey) => {
    const own = <Item extends { surveyId: string }>(items: readonly Item[]) =>
      items.filter(({ surveyId }) => surveyId === survey.id);
    return surveyResults(survey, runs.groups("none").get(survey.id)!.get(null)!, {
      whole: own(whole)[0],
      by,
      groups: own(groups),
      dismissals: own(dismissals),
      counted: counted?.get(survey.id) ?? new Map(),
      period: selection,
    });
  });
  // A deleted survey without answers says nothing.
  return results.filter(({ responses }, index) => surveys[index]!.deletedAt === undefined || responses > 0);
}

/** @throws UsageError for a baseline that no answer is of */
export async function changesIn(
  { reader, selection, surveys, answers, answered }: Reading,
  { baseline, compare }: Pick<ResultsQuery, "baseline" | "compare">,
): Promise<Change[] | undefined> {
  if (baseline !== undefined) return changesFromVersion(surveys, answered, baseline);
  if (compare?.kind === "previous") return changesFromBefore(reader, selection, surveys, answers, answered);
  return compare && changesOfTaskTypes(surveys, answered, compare.from, compare.to);
}

/** What people said, as counts and scores, in the state that the reader reads. */
async function resultsFrom(
  reader: ResultsReader,
  project: Project,
  query: ResultsQuery,
  now: number,
): Promise<Results> {
  const reading = await readingOf(reader, project, query);
  const { by } = query;
  if (typeof by === "object")
    await checkFact(reader, reading.selection, by.fact, reading.answered.tallies(by));
  const surveys = resultsBy(reading, by);
  const queue = await queueState(reader, project.id, now);
  const changes = await changesIn(reading, query);
  const [since, until] = [timestamp(query.since), timestamp(query.until)];
  const period = { since, until, timezone: query.zone.name };
  return { project: project.id, ...period, surveys, queue, ...(changes && { changes }) };
}

/** @throws UsageError for an unknown survey */
export const readResults = (
  store: ResultsStore,
  clock: Clock,
  project: Project,
  query: ResultsQuery,
): Promise<Results> => store.readResults((reader) => resultsFrom(reader, project, query, clock.now()));
