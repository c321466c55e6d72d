import { timestamp } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type SurveyRecord } from "../store/project.ts";
import {
  type Comment,
  type RatingValues,
  type ResultsReader,
  type ResultsSelection,
  type Tally,
} from "../store/store.ts";
import { changesOf, previous, type Change, type Comparison } from "./changes.ts";
import { changesFromBaseline } from "./baseline.ts";
import { countedRuns, isCounted, mostGroups, residualsOf } from "./counted-runs.ts";
import { groupingName, groupings, type Grouping } from "./groupings.ts";
import { isolated } from "./isolated.ts";
import { countText } from "./numbers.ts";
import { queueState, type QueueState } from "./queue-state.ts";
import { ratingValues } from "./rating-values.ts";
import { surveyResults, type SurveyResults } from "./summary.ts";
import { type Period } from "./times.ts";

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

function selectionOf(project: Project, query: ResultsQuery): ResultsSelection {
  const { survey, since, until, measuredOnly } = query;
  const surveyIds = survey === undefined ? undefined : surveysOf(project, survey).map(({ id }) => id);
  return { projectId: project.id, surveyIds, since, until, measuredOnly };
}

const valuesOf = (project: Project): RatingValues =>
  new Map(project.surveys.map(({ id, definition: { type } }) => [id, ratingValues[type]]));

/** @throws UsageError if no answer has such a fact, or there are too many groups */
async function checkGroups(
  reader: ResultsReader,
  selection: ResultsSelection,
  by: Grouping,
  tallies: readonly Tally[],
): Promise<void> {
  const name = groupingName(by);
  const keys = new Set(tallies.map(({ key }) => key));
  if (typeof by === "object" && tallies.every(({ key }) => key === null)) {
    const facts = (await reader.factNames(selection)).map((fact) => isolated(fact)).join(", ");
    throw new UsageError(
      `--by "${name}": no answer that was selected has such a fact. Its runs' facts: ${facts || "none"}. Other groups: ${groupings.join(", ")}.`,
    );
  }
  if (isCounted(by) || typeof by === "object") {
    if (keys.size <= mostGroups) return;
    throw new UsageError(
      `--by "${name}" gives ${countText(keys.size)} groups, more than ${mostGroups}: select less with --survey, --since and --until.`,
    );
  }
}

/** What is the same for all groupings is read once, and each grouping once. */
async function readingOf(reader: ResultsReader, project: Project, query: ResultsQuery) {
  const selection = selectionOf(project, query);
  const values = valuesOf(project);
  const surveys = surveysOf(project, query.survey);
  const isByRun = query.baseline !== undefined || isCounted(query.by);
  const runs = await countedRuns(reader, selection, surveys, isByRun);
  const known = new Map<string, Promise<Tally[]>>();
  const tallies = (by: Grouping | "none"): Promise<Tally[]> => {
    const name = JSON.stringify(by);
    const residuals = isCounted(by) ? residualsOf(runs.groups(by)) : undefined;
    if (!known.has(name)) known.set(name, reader.tally(selection, by, values, residuals));
    return known.get(name)!;
  };
  const dismissals = await reader.dismissals(selection);
  return { reader, selection, values, surveys, runs, tallies, dismissals, query };
}

type Reading = Awaited<ReturnType<typeof readingOf>>;

async function resultsBy(reading: Reading, by: Grouping | undefined): Promise<SurveyResults[]> {
  const { surveys, runs, tallies, dismissals, query } = reading;
  const all = runs.groups("none");
  const counted = isCounted(by) ? runs.groups(by) : undefined;
  const whole = await tallies("none");
  const groups = by ? await tallies(by) : [];
  const results = surveys.map((survey) => {
    const own = <Item extends { surveyId: string }>(items: readonly Item[]) =>
      items.filter(({ surveyId }) => surveyId === survey.id);
    return surveyResults(survey, all.get(survey.id)!.get(null)!, {
      whole: own(whole)[0],
      by,
      groups: own(groups),
      dismissals: own(dismissals),
      counted: counted?.get(survey.id) ?? new Map(),
      period: { since: query.since, until: query.until },
    });
  });
  // A deleted survey without answers says nothing.
  return results.filter(({ responses }, index) => surveys[index]!.deletedAt === undefined || responses > 0);
}

/** @throws UsageError for a baseline that no answer is of */
async function changesIn(reading: Reading): Promise<Change[] | undefined> {
  const { reader, selection, surveys, values, runs, tallies, query } = reading;
  const { baseline, compare } = query;
  if (baseline === undefined) return compare && changesOf(reader, selection, surveys, values, compare);
  const versions = { runs, tallies: await tallies("version"), baseline };
  return changesFromBaseline(reader, selection, surveys, values, versions);
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
  if (by) await checkGroups(reader, reading.selection, by, await reading.tallies(by));
  const surveys = await resultsBy(reading, by);
  const queue = await queueState(reader, project.id, now);
  const changes = await changesIn(reading);
  const period = { since: timestamp(query.since), until: timestamp(query.until) };
  return { project: project.id, ...period, surveys, queue, ...(changes && { changes }) };
}

/** @throws UsageError for an unknown survey */
export const readResults = (service: Service, project: Project, query: ResultsQuery): Promise<Results> =>
  service.store.administration.readResults((reader) =>
    resultsFrom(reader, project, query, service.clock.now()),
  );

/** A survey as its first line shows it. */
export interface SurveyOverview {
  question: string;
  results: SurveyResults;
  /** Against the period before; absent without answers in both. */
  change?: Change;
}

export function overviewsOf(
  project: Project,
  { surveys, changes = [] }: Pick<Results, "surveys" | "changes">,
): SurveyOverview[] {
  return surveys.map((results) => {
    const { question } = project.surveys.find(({ id }) => id === results.id)!.definition;
    return { question, results, change: changes.find(({ id }) => id === results.id) };
  });
}

export interface ReportQuery extends Omit<ResultsQuery, "by"> {
  /** How many of each survey. */
  comments: number;
}

export interface SurveyReport extends SurveyOverview {
  /** Id of its section in the page. */
  anchor: string;
  /** Its groups are the weeks. */
  results: SurveyResults;
  taskTypes: SurveyResults;
  versions: SurveyResults;
  /** Answers by hour of the week, 0 on Monday at 00:00 UTC. */
  hours: ReadonlyMap<number, number>;
  comments: readonly Comment[];
}

export interface Report {
  project: Project;
  query: ReportQuery;
  createdAt: number;
  surveys: SurveyReport[];
  /** What else was compared. */
  changes: Results["changes"];
  queue: Results["queue"];
}

/** @throws UsageError for an unknown survey */
export async function readReport(service: Service, project: Project, query: ReportQuery): Promise<Report> {
  const { store, clock } = service;
  const now = clock.now();
  const selection = selectionOf(project, query);
  const isOther = query.compare?.kind !== "previous";
  // One state of the database, so that all parts of the page agree.
  const parts = await store.administration.readResults(async (reader) => {
    const reading = await readingOf(reader, project, query);
    return {
      weeks: await resultsBy(reading, "week"),
      taskTypes: await resultsBy(reading, "taskType"),
      versions: await resultsBy(reading, reading.runs.hasVersions ? "version" : undefined),
      hours: await reader.hours(selection),
      before: await changesIn({ ...reading, query: { ...query, compare: previous, baseline: undefined } }),
      changes: isOther ? await changesIn(reading) : undefined,
      comments: await reader.comments({ ...selection, limit: query.comments }),
      queue: await queueState(reader, project.id, now),
    };
  });
  const { weeks, taskTypes, versions, hours, before, comments, ...rest } = parts;
  const surveys = overviewsOf(project, { surveys: weeks, changes: before }).map((overview, index) => {
    const isOwn = ({ surveyId }: { surveyId: string }) => surveyId === overview.results.id;
    return {
      ...overview,
      anchor: `survey-${index + 1}`,
      taskTypes: taskTypes[index]!,
      versions: versions[index]!,
      hours: new Map(hours.filter(isOwn).map(({ hour, count }) => [hour, count])),
      comments: comments.filter(isOwn),
    };
  });
  return { project, query, createdAt: now, surveys, ...rest };
}
