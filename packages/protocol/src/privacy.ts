import * as z from "zod";
import { scoredRun, type ScoredRun } from "./run.ts";
import { identifier } from "./strings.ts";
import { type Traits } from "./traits.ts";

/** Whose responses: the union of both identities when both are given; none means the whole project. */
export interface ExportQuery {
  respondentId?: string | undefined;
  /** Identity of an imported person; hashed by the server. */
  email?: string | undefined;
  surveySlug?: string | undefined;
}

/** One stored response (contract section 2.8). */
export interface ExportRow {
  id?: string;
  surveyId?: string;
  surveyVersion?: number;
  respondentId?: string;
  rating?: number | null;
  text?: string | null;
  followUpRequested?: boolean;
  at?: string;
  source?: "measured" | "imported";
  traits?: Traits | null;
  /** What the mint attested about the run; an extension, absent where there is nothing. */
  run?: ScoredRun;
}

export interface ExportReply {
  projectId: string;
  exportedAt: string;
  count: number;
  responses: ExportRow[];
}

/** What to erase: a respondent (also within one survey), a survey, or everything (contract section 4.8). */
export interface EraseQuery extends ExportQuery {
  account?: "true" | "1";
}

export type EraseMode = "respondent" | "survey" | "account";

/** What an erasure has deleted, counted. */
export interface EraseReply {
  ok: true;
  mode: EraseMode;
  respondentIds?: string[];
  responsesDeleted?: number;
  dismissalsDeleted?: number;
  /** Hashed suppression records that were kept, so that erased people are not asked again. */
  suppressionRetained?: number;
  surveySlug?: string;
  note?: string;
}

const emailAddress = z
  .string()
  .max(320)
  .refine((value) => z.email().safeParse(value.trim()).success, "is not an e-mail address")
  .meta({ format: "email" });

const selectors = {
  respondentId: identifier()
    .optional()
    .describe("The id that the SDKs send, or the `imp_` id of an imported person."),
  email: emailAddress
    .optional()
    .describe("E-mail address of an imported person; the server looks up its hash."),
  surveySlug: identifier()
    .optional()
    .describe("Alone: the whole survey. With a person: only their data in this survey."),
};

// Strict, unlike all other schemas: a misspelt selector must never widen an erasure.
export const exportQuery = z.strictObject(selectors);

/** The selectors that an erasure accepts together (contract section 4.8). */
export const eraseCombinations = [
  ["respondentId"],
  ["email"],
  ["respondentId", "email"],
  ["respondentId", "surveySlug"],
  ["email", "surveySlug"],
  ["respondentId", "email", "surveySlug"],
  ["surveySlug"],
  ["account"],
] as const;

function selectorFault(query: EraseQuery): string | undefined {
  const { account, ...others } = query;
  const named = Object.values(others).some((value) => value !== undefined);
  if (account !== undefined && named) return "account cannot be combined with another selector";
  return account === undefined && !named ? "send respondentId, email, surveySlug or account" : undefined;
}

export const eraseQuery = z
  .strictObject({
    ...selectors,
    account: z.enum(["true", "1"]).optional().describe("The whole project; with another selector it is 400."),
  })
  .superRefine((query, context) => {
    const fault = selectorFault(query);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });

export const exportRow = z.object({
  id: z.string().optional(),
  surveyId: z.string().optional(),
  surveyVersion: z.int().optional(),
  respondentId: z.string().optional(),
  rating: z.number().nullish(),
  text: z.string().nullish(),
  followUpRequested: z.boolean().optional(),
  at: z.iso.datetime().optional(),
  source: z.enum(["measured", "imported"]).optional(),
  traits: z.record(z.string(), z.unknown()).nullish(),
  run: scoredRun.optional(),
});

export const exportReply = z.object({
  projectId: z.string(),
  exportedAt: z.iso.datetime(),
  count: z.int().min(0),
  responses: z.array(exportRow),
});

export const eraseReply = z.object({
  ok: z.literal(true),
  mode: z.enum(["respondent", "survey", "account"]),
  respondentIds: z.array(z.string()).optional(),
  responsesDeleted: z.int().optional(),
  dismissalsDeleted: z.int().optional(),
  suppressionRetained: z.int().optional(),
  surveySlug: z.string().optional(),
  note: z.string().optional(),
});
