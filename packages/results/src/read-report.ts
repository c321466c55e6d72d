import { hourInMs } from "@afterword/protocol/duration";
import { type Project, type Clock } from "@afterword/reference-server/internal";
import { type Comment, firstMonday, type ResultsStore } from "./store/results-reader.ts";
import { type Zone } from "./zone.ts";
import { type Answers } from "./answers.ts";
import { askedFor, previous } from "./changes.ts";
import { overviewsOf, type SurveyOverview } from "./overview.ts";
import { queueState } from "./queue-state.ts";
import { changesIn, readingOf, resultsBy, type Results, type ResultsQuery } from "./read-results.ts";
import { type SurveyResults } from "./survey-results.ts";

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
  /** Answers by hour of the week, 0 on Monday at 00:00. */
  hours: ReadonlyMap<number, number>;
  comments: readonly Comment[];
}

export interface Report {
  project: Project;
  query: ReportQuery;
  createdAt: number;
  surveys: SurveyReport[];
  /** What else was compared. */
  asked: ReturnType<typeof askedFor>;
  queue: Results["queue"];
}

/** Answers by survey and hour of the week, 0 on Monday at 00:00. */
function hoursOf({ size, cells, cell, at }: Answers, zone: Zone): Map<string, Map<number, number>> {
  const hours = new Map<string, Map<number, number>>();
  for (let answer = 0; answer < size; answer++) {
    const { surveyId } = cells[cell[answer]!]!;
    const hour = Math.floor((zone.local(at[answer]!) - firstMonday) / hourInMs) % 168;
    const ofSurvey = hours.get(surveyId) ?? new Map<number, number>();
    hours.set(surveyId, ofSurvey.set(hour, (ofSurvey.get(hour) ?? 0) + 1));
  }
  return hours;
}

/** Reads one state of the database, so that all parts of the page agree. @throws UsageError for an unknown survey */
export const readReport = (
  store: ResultsStore,
  clock: Clock,
  project: Project,
  query: ReportQuery,
): Promise<Report> =>
  store.readResults(async (reader) => {
    const createdAt = clock.now();
    const reading = await readingOf(reader, project, { ...query, compare: previous }, ["taskType"]);
    const { runs, answers } = reading.answered;
    const taskTypes = resultsBy(reading, "taskType");
    const versions = resultsBy(reading, runs.hasVersions ? "version" : undefined);
    const hours = hoursOf(answers, query.zone);
    const comments = await reader.comments({ ...reading.selection, limit: query.comments });
    const changes = await changesIn(reading, { compare: previous });
    const overviews = overviewsOf(project, { surveys: resultsBy(reading, "week"), changes });
    const surveys = overviews.map((overview, index) => ({
      ...overview,
      anchor: `survey-${index + 1}`,
      taskTypes: taskTypes[index]!,
      versions: versions[index]!,
      hours: hours.get(overview.results.id) ?? new Map<number, number>(),
      comments: comments.filter(({ surveyId }) => surveyId === overview.results.id),
    }));
    const asked = askedFor(query, askedFor(query) && (await changesIn(reading, query)));
    return {
      project,
      query,
      createdAt,
      surveys,
      asked,
      queue: await queueState(reader, project.id, createdAt),
    };
  });
