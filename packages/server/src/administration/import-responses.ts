import * as z from "zod";
import { ratingFits, ratingsText, storableText, type Traits } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import {
  findSurvey,
  importedRespondentId,
  keyedHash,
  type Project,
  recordIdOf,
  type Service,
  type SurveyRecord,
  UsageError,
} from "@afterword/reference-server/internal";
import { type ImportedResponse } from "../store/import-responses.ts";

/** One line of an import, as texts; empty texts count as absent. */
export interface ImportLine {
  email?: string;
  /** Slug or id; absent where the whole import is for one survey. */
  survey?: string;
  rating?: string;
  text?: string;
  /** RFC 3339, or a date. */
  at?: string;
  traits: Traits;
}

export interface ImportContext {
  service: Service;
  project: Project;
  /** For lines that name none. */
  survey?: SurveyRecord;
}

/** A date is its beginning in UTC. */
const time = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Explains a mistake without quoting its line, which holds personal data. */
function needed(value: string | undefined, column: string): string {
  if (value) return value;
  throw new UsageError(`${column} is missing`);
}

function ratingOf(survey: SurveyRecord, text: string): number {
  const rating = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (ratingFits(survey.definition, rating)) return rating;
  throw new UsageError(`rating is not ${ratingsText(survey.definition)}, as this survey has them`);
}

function timeOf(text: string, now: number): number {
  if (!time.safeParse(text).success)
    throw new UsageError("at is not a time such as 2025-03-01T12:00:00Z or a date such as 2025-03-01");
  const at = Date.parse(text);
  if (at > now) throw new UsageError("at lies in the future");
  if (at < 0) throw new UsageError("at lies before 1970");
  return at;
}

function textOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if ([...text].length > limits.textLength)
    throw new UsageError(`text is longer than ${limits.textLength} characters`);
  return storableText(text);
}

/**
 * A line as it is stored. Its id follows from what it says, so importing a file again adds nothing.
 * @throws UsageError that says what is wrong, without quoting the line
 */
export function importedResponse(context: ImportContext, line: ImportLine): ImportedResponse {
  const { service, project } = context;
  const email = needed(line.email, "email");
  if (!z.email().safeParse(email.trim()).success) {
    const isPlain = /^[\0-\x7f]*$/.test(email);
    const why = isPlain ? "" : " in ASCII: no request can erase an international one, so it is not imported";
    throw new UsageError(`email is not an e-mail address${why}`);
  }
  const survey = line.survey ? findSurvey(project, line.survey) : context.survey;
  if (!survey) throw new UsageError("survey is missing: add the column or --survey");
  const rating = ratingOf(survey, needed(line.rating, "rating"));
  const at = timeOf(needed(line.at, "at"), service.clock.now());
  const text = textOf(line.text);
  const respondentId = importedRespondentId(project.pepper, email);
  const identity = JSON.stringify(["import", survey.id, respondentId, rating, at, text ?? null]);
  return {
    id: recordIdOf(at, keyedHash(project.pepper, identity)),
    at,
    projectId: project.id,
    surveyId: survey.id,
    surveyVersion: survey.version,
    respondentId,
    rating,
    ...(text !== undefined && { text }),
    ...(Object.keys(line.traits).length > 0 && { traits: line.traits }),
  };
}
