import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type Comment } from "../store/store.ts";
import { resultsFrom, selectionOf, type Results, type ResultsQuery } from "./read-results.ts";
import { type SurveyResults } from "./summary.ts";

export interface ReportQuery extends Omit<ResultsQuery, "by"> {
  /** How many of the latest comments. */
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

/** Everything that the page of results shows. */
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
