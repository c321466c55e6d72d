import * as z from "zod";
import { eraseReply, exportReply, exportRow } from "./privacy.ts";
import { problemDocument } from "./problem-document.ts";
import { dismissalBody, ingestOk, responseBody } from "./response.ts";
import { ackBody, ackReply, pendingScore, pendingScoresReply } from "./score.ts";
import { surveyDefinition, targetingRule } from "./survey.ts";
import {
  bootstrapBody,
  bootstrapReply,
  mintBody,
  mintReply,
  shownBody,
  shownReply,
  tokenCheck,
  tokenCheckBody,
  tokenCheckReply,
} from "./token.ts";

export type Json = Record<string, unknown>;

/** The schemas under components/schemas. Requests are described as sent (before parsing), replies as received. */
const requestShapes = {
  BootstrapBody: bootstrapBody,
  ResponseBody: responseBody,
  DismissalBody: dismissalBody,
  MintBody: mintBody,
  TokenCheckBody: tokenCheckBody,
  ShownBody: shownBody,
  AckBody: ackBody,
};
const replyShapes = {
  TargetingRule: targetingRule,
  SurveyDefinition: surveyDefinition,
  BootstrapReply: bootstrapReply,
  IngestOk: ingestOk,
  MintReply: mintReply,
  TokenCheck: tokenCheck,
  TokenCheckReply: tokenCheckReply,
  ShownReply: shownReply,
  PendingScore: pendingScore,
  PendingScoresReply: pendingScoresReply,
  AckReply: ackReply,
  ExportRow: exportRow,
  ExportReply: exportReply,
  EraseReply: eraseReply,
  Problem: problemDocument,
};

export const schemaUri = (name: string) => `#/components/schemas/${name}`;
/** Refers to a named schema. */
export const reference = (schema: z.ZodType): Json => {
  const shapes = Object.entries({ ...requestShapes, ...replyShapes });
  const name = shapes.find(([, shape]) => shape === schema)?.[0];
  if (!name) throw new Error("Add the schema to the named schemas above.");
  return { $ref: schemaUri(name) };
};

type Direction = "input" | "output";

/**
 * Replies may gain fields (contract section 9), so only requests forbid additional ones. Where a format or another type says
 * enough, the pattern goes: request generators would have to satisfy both.
 */
function tidy(schema: z.core.JSONSchema.BaseSchema, io: Direction) {
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type !== "string" || schema.format) delete schema.pattern;
}

/** @param io whether what the schema describes is sent or received */
const optionsFor = (io: Direction): z.core.ToJSONSchemaParams => ({
  io,
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }) {
    Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
    tidy(jsonSchema, io);
  },
});

function schemasOf(shapes: Record<string, z.ZodType>, io: Direction): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, { ...optionsFor(io), uri: schemaUri });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, id, ...schema }]) => [name, schema as Json]),
  );
}

/** All that other parts of the document refer to. */
export const namedSchemas = (): Json => ({
  ...schemasOf(requestShapes, "input"),
  ...schemasOf(replyShapes, "output"),
});

/** The JSON schema of a query. */
export const schemaOfQuery = (query: z.ZodType) => z.toJSONSchema(query, optionsFor("input"));
