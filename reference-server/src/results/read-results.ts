import { UsageError } from "../domain/usage-error.ts";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type SurveyRecord } from "../store/project.ts";
import { type Comment, type ResultsReader, type ResultsSelection } from "../store/store.ts";
import { changesOf, type Change, type Comparison } from "./changes.ts";
import { type Grouping } from "./groupings.ts";
import { queueState, type QueueState } from "./queue-state.ts";
import { surveyResults, type SurveyResults } from "./summary.ts";

export interface ResultsQuery {
  survey?: string;
  /** Milliseconds since 1970: the first moment that counts, and the first that counts no more. */
  since?: number;
  until?: number;
  by?: Grouping;
  measuredOnly?: boolean;
  compare?: Comparison;
}

export interface Results {
  project: string;
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

/** What people said, as counts and scores, in the state that the reader reads. */
async function resultsFrom(
  reader: ResultsReader,
  project: Project,
  query: ResultsQuery,
  now: number,
): Promise<Results> {
  const selection = selectionOf(project, query);
  const surveys = surveysOf(project, query.survey);
  const tallies = await reader.tally(selection, query.by ?? "none");
  const dismissals = await reader.dismissals(selection);
  const results = surveys.map((survey) => surveyResults(survey, query.by, tallies, dismissals));
  // A deleted survey without answers tells nothing.
  const isTold = (index: number) => surveys[index]!.deletedAt === undefined || results[index]!.responses > 0;
  return {
    project: project.id,
    surveys: results.filter((_, index) => isTold(index)),
    queue: await queueState(reader, project.id, now),
    ...(query.compare && { changes: await changesOf(reader, selection, surveys, query.compare) }),
  };
}

/** @throws UsageError for an unknown survey */
export const readResults = (service: Service, project: Project, query: ResultsQuery): Promise<Results> =>
  service.store.administration.readResults((reader) =>
    resultsFrom(reader, project, query, service.clock.now()),
  );

export interface ReportQuery extends Omit<ResultsQuery, "by"> {
  comments: number;
}

export interface SurveyReport {
  question: string;
  /** Its groups are the weeks. */
  weeks: SurveyResults;
  taskTypes: SurveyResults;
  /** Answers by hour of the week, 0 on Monday at 00:00 UTC. */
  hours: ReadonlyMap<number, number>;
}

export interface Report {
  project: Project;
  query: ReportQuery;
  createdAt: number;
  surveys: SurveyReport[];
  changes: Results["changes"];
  comments: Comment[];
  queue: Results["queue"];
}

/** @throws UsageError for an unknown survey */
export async function readReport(service: Service, project: Project, query: ReportQuery): Promise<Report> {
  const { store, clock } = service;
  const now = clock.now();
  const selection = selectionOf(project, query);
  // One state of the database, so that all parts of the page agree.
  const { weeks, taskTypes, hours, comments } = await store.administration.readResults(async (reader) => ({
    weeks: await resultsFrom(reader, project, { ...query, by: "week" }, now),
    taskTypes: await resultsFrom(reader, project, { ...query, compare: undefined, by: "taskType" }, now),
    hours: await reader.tally(selection, "hourOfWeek"),
    comments: await reader.comments({ ...selection, limit: query.comments }),
  }));
  const surveys = weeks.surveys.map((survey): SurveyReport => {
    const counts = new Map<number, number>();
    for (const { surveyId, key, count } of hours)
      if (surveyId === survey.id) counts.set(Number(key), (counts.get(Number(key)) ?? 0) + count);
    const { definition } = project.surveys.find(({ id }) => id === survey.id)!;
    const ofTasks = taskTypes.surveys.find(({ id }) => id === survey.id) ?? { ...survey, groups: [] };
    return { question: definition.question, weeks: survey, taskTypes: ofTasks, hours: counts };
  });
  const { changes, queue } = weeks;
  return { project, query, createdAt: now, surveys, changes, comments, queue };
}
