import { UsageError } from "../domain/usage-error.ts";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type SurveyRecord } from "../store/project.ts";
import {
  type Comment,
  type RatingValues,
  type ResultsReader,
  type ResultsSelection,
} from "../store/store.ts";
import { changesOf, type Change, type Comparison } from "./changes.ts";
import { type Grouping } from "./groupings.ts";
import { queueState, type QueueState } from "./queue-state.ts";
import { ratingValues } from "./rating-values.ts";
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

const valuesOf = (project: Project): RatingValues =>
  new Map(project.surveys.map(({ id, definition: { type } }) => [id, ratingValues[type]]));

/** Reads groups of the same answers; what does not depend on the grouping is read once. */
async function resultsBy(reader: ResultsReader, project: Project, query: ResultsQuery) {
  const selection = selectionOf(project, query);
  const values = valuesOf(project);
  const whole = await reader.tally(selection, "none", values);
  const dismissals = await reader.dismissals(selection);
  const surveys = surveysOf(project, query.survey);
  return async (by: Grouping | undefined): Promise<SurveyResults[]> => {
    const groups = by ? await reader.tally(selection, by, values) : [];
    const results = surveys.map((survey) => surveyResults(survey, { whole, by, groups, dismissals }));
    // A deleted survey without answers says nothing.
    return results.filter(({ responses }, index) => surveys[index]!.deletedAt === undefined || responses > 0);
  };
}

async function changesIn(
  reader: ResultsReader,
  project: Project,
  query: ResultsQuery,
): Promise<Change[] | undefined> {
  if (!query.compare) return undefined;
  const surveys = surveysOf(project, query.survey);
  return changesOf(reader, selectionOf(project, query), surveys, valuesOf(project), query.compare);
}

/** What people said, as counts and scores, in the state that the reader reads. */
async function resultsFrom(
  reader: ResultsReader,
  project: Project,
  query: ResultsQuery,
  now: number,
): Promise<Results> {
  const read = await resultsBy(reader, project, query);
  return {
    project: project.id,
    surveys: await read(query.by),
    queue: await queueState(reader, project.id, now),
    ...(query.compare && { changes: await changesIn(reader, project, query) }),
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
  const parts = await store.administration.readResults(async (reader) => {
    const read = await resultsBy(reader, project, query);
    return {
      weeks: await read("week"),
      taskTypes: await read("taskType"),
      hours: await reader.hours(selection),
      changes: await changesIn(reader, project, query),
      comments: await reader.comments({ ...selection, limit: query.comments }),
      queue: await queueState(reader, project.id, now),
    };
  });
  const { weeks, taskTypes, hours, ...rest } = parts;
  const surveys = weeks.map((survey, index): SurveyReport => {
    const { definition } = project.surveys.find(({ id }) => id === survey.id)!;
    const own = hours.filter(({ surveyId }) => surveyId === survey.id);
    const counts = new Map(own.map(({ hour, count }) => [hour, count]));
    return { question: definition.question, weeks: survey, taskTypes: taskTypes[index]!, hours: counts };
  });
  return { project, query, createdAt: now, surveys, ...rest };
}
