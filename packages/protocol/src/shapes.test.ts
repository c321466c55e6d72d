import { expectTypeOf, it } from "vitest";
import type * as z from "zod";
import { type EraseReply, type ExportReply, type eraseReply, type exportReply } from "./privacy.ts";
import { type ProblemDocument, type problemDocument } from "./problem-document.ts";
import {
  type DismissalBody,
  type IngestOk,
  type ResponseBody,
  type dismissalBody,
  type ingestOk,
  type responseBody,
} from "./response.ts";
import {
  type AckBody,
  type AckReply,
  type PendingScore,
  type ackBody,
  type ackReply,
  type pendingScore,
} from "./score.ts";
import { type SurveyDefinition, type surveyDefinition } from "./survey.ts";
import {
  type BootstrapBody,
  type BootstrapReply,
  type MintBody,
  type MintReply,
  type ShownBody,
  type ShownReply,
  type TokenCheckBody,
  type TokenCheckReply,
  type bootstrapBody,
  type bootstrapReply,
  type mintBody,
  type mintReply,
  type shownBody,
  type shownReply,
  type tokenCheckBody,
  type tokenCheckReply,
} from "./token.ts";

// The public shapes are written by hand, so that no published type leaks zod; here they are held to the schemas.
it("the hand-written interfaces match the schemas", () => {
  expectTypeOf<z.input<typeof bootstrapBody>>().toEqualTypeOf<BootstrapBody>();
  expectTypeOf<z.output<typeof bootstrapReply>>().toEqualTypeOf<BootstrapReply>();
  expectTypeOf<z.input<typeof mintBody>>().toEqualTypeOf<MintBody>();
  expectTypeOf<z.output<typeof mintReply>>().toEqualTypeOf<MintReply>();
  expectTypeOf<z.input<typeof shownBody>>().toEqualTypeOf<ShownBody>();
  expectTypeOf<z.output<typeof shownReply>>().toEqualTypeOf<ShownReply>();
  expectTypeOf<z.input<typeof tokenCheckBody>>().toEqualTypeOf<TokenCheckBody>();
  expectTypeOf<z.output<typeof tokenCheckReply>>().toEqualTypeOf<TokenCheckReply>();
  expectTypeOf<z.input<typeof responseBody>>().toEqualTypeOf<ResponseBody>();
  expectTypeOf<z.input<typeof dismissalBody>>().toEqualTypeOf<DismissalBody>();
  expectTypeOf<z.output<typeof ingestOk>>().toEqualTypeOf<IngestOk>();
  expectTypeOf<z.output<typeof surveyDefinition>>().toEqualTypeOf<SurveyDefinition>();
  expectTypeOf<z.output<typeof pendingScore>>().toEqualTypeOf<PendingScore>();
  expectTypeOf<z.input<typeof ackBody>>().toEqualTypeOf<AckBody>();
  expectTypeOf<z.output<typeof ackReply>>().toEqualTypeOf<AckReply>();
  expectTypeOf<z.output<typeof exportReply>>().toEqualTypeOf<ExportReply>();
  expectTypeOf<z.output<typeof eraseReply>>().toEqualTypeOf<EraseReply>();
  expectTypeOf<z.output<typeof problemDocument>>().toEqualTypeOf<ProblemDocument>();
});
