import type { EraseQuery } from "@afterword/protocol";
import { ConfigurationError } from "../errors/configuration-error.ts";

interface RespondentById {
  respondentId: string;
  email?: string;
}

interface RespondentByEmail {
  email: string;
  respondentId?: string;
}

/** One person, by id, by the e-mail address of an import, or both; also narrowed to one survey (decisions D100, D101). */
export type EraseRespondent = (RespondentById | RespondentByEmail) & { surveySlug?: string; account?: never };

/** All responses of a survey. */
export interface EraseSurvey {
  surveySlug: string;
  respondentId?: never | undefined;
  email?: never | undefined;
  account?: never | undefined;
}

/** Everything of the project. */
export interface EraseAccount {
  account: true;
  respondentId?: never | undefined;
  email?: never | undefined;
  surveySlug?: never | undefined;
}

/** What to erase. Ambiguous combinations do not compile. */
export type EraseSelector = EraseRespondent | EraseSurvey | EraseAccount;

const selectors = ["respondentId", "email", "surveySlug", "account"];

/**
 * The query of a selector. Throws a `ConfigurationError` for an empty selector before anything is sent: an id that is
 * `undefined` by mistake must not leave the survey's slug alone, which would erase all its responses.
 */
export function eraseQuery(selector: EraseSelector): EraseQuery {
  const entries = Object.entries(selector as object);
  for (const [name, value] of entries) {
    if (!selectors.includes(name)) throw new ConfigurationError(`erase has no selector "${name}".`);
    const isGiven = name === "account" ? value === true : typeof value === "string" && value !== "";
    if (!isGiven)
      throw new ConfigurationError(`erase was given ${name} without a value; nothing was erased.`);
  }
  const names = entries.map(([name]) => name);
  if (names.length === 0) {
    throw new ConfigurationError("erase needs respondentId, email, surveySlug or account: true.");
  }
  if (names.includes("account") && names.length > 1) {
    throw new ConfigurationError("erase with account: true erases everything and takes no other selector.");
  }
  return names.includes("account") ? { account: "true" } : (Object.fromEntries(entries) as EraseQuery);
}
