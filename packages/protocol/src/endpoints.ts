import * as z from "zod";
import { type Endpoint } from "./endpoint.ts";
import { eraseCombinations, eraseQuery, eraseReply, exportQuery, exportReply } from "./privacy.ts";
import { dismissalBody, ingestOk, keyQuery, responseBody } from "./response.ts";
import {
  ackReplyExample,
  bootstrapReplyExample,
  eraseReplyExample,
  exportReplyExample,
  ingestOkExample,
  mintReplyExample,
  pendingScoresReplyExample,
} from "./reply-examples.ts";
import { ackBody, ackReply, pendingScoresQuery, pendingScoresReply } from "./score.ts";
import { bootstrapBody, bootstrapQuery, bootstrapReply, mintBody, mintReply } from "./token.ts";

const kibibyte = 1024;
const publicBody = { bodyLimit: 256 * kibibyte } as const;

const bootstrap = {
  operationId: "bootstrap",
  summary: "Surveys, suppression and unbound show-tokens for a respondent",
  description:
    "Stores nothing. A survey without a token here must not be shown: the respondent has been asked, or may not be asked now.",
  auth: "publishable",
  limit: "public",
  query: bootstrapQuery,
  status: 200,
  reply: bootstrapReply,
  replyExample: bootstrapReplyExample,
  problems: [],
} as const satisfies Endpoint;

const submitResponse = {
  operationId: "submitResponse",
  summary: "Store a rating; uses up its show-token",
  description:
    "Each show-token buys one record, once: a rating or a dismissal. A session-bound token links the rating to its session, which cannot be changed; fields that are left out stand for what the token attests.",
  auth: "publishable",
  limit: "public",
  query: keyQuery,
  body: responseBody,
  ...publicBody,
  bodyExample: {
    showToken: "st2.…",
    surveyId: "satisfaction",
    rating: 4,
    text: "It found the order at once.",
  },
  status: 201,
  reply: ingestOk,
  replyExample: ingestOkExample,
  problems: [
    "token_invalid",
    "token_expired",
    "token_used",
    "token_session_mismatch",
    "survey_not_found",
    "rating_out_of_range",
  ],
} as const satisfies Endpoint;

/** The wire: each endpoint once, read by the server, both SDKs and the OpenAPI document (contract section 4). */
export const endpoints = {
  "POST /v1/sdk/bootstrap": {
    ...bootstrap,
    body: bootstrapBody,
    bodyOptional: true,
    bodyExample: { userId: "user-17", traits: { plan: "pro" } },
    ...publicBody,
  },
  "POST /v1/sdk/responses": submitResponse,
  "POST /v1/dismissals": {
    operationId: "dismiss",
    summary: "Store that the respondent closed the survey; uses up its show-token",
    description:
      "Sent again with the same token it gives the first reply again. A token that a rating has used is 401.",
    auth: "publishable",
    limit: "public",
    query: keyQuery,
    body: dismissalBody,
    ...publicBody,
    bodyExample: { showToken: "st2.…", surveyId: "satisfaction", userId: "user-17" },
    status: 201,
    reply: ingestOk,
    replyExample: ingestOkExample,
    problems: ["token_invalid", "token_expired", "token_used", "survey_not_found"],
  },
  "POST /v1/sdk/tokens": {
    operationId: "mintTokens",
    summary: "Mint session-bound show-tokens after an agent's task",
    description:
      "For your server, once the task is done: hand the tokens to the page. No tokens is no error: the respondent may not be asked now, or the survey is not active.",
    auth: "secret",
    limit: "mint",
    query: z.object({}),
    body: mintBody,
    bodyLimit: 32 * kibibyte,
    bodyExample: { respondentId: "user-17", sessionId: "run-2041", taskType: "refund" },
    status: 200,
    reply: mintReply,
    replyExample: mintReplyExample,
    problems: [],
  },
  "GET /v1/sdk/pending-scores": {
    operationId: "listPendingScores",
    summary: "Linked ratings that wait to be pushed to the observability service",
    description:
      "Oldest first. Listing changes nothing: a row stays until it is acknowledged. Begin each poll without a cursor.",
    auth: "secret",
    limit: "pending",
    query: pendingScoresQuery,
    status: 200,
    reply: pendingScoresReply,
    replyExample: pendingScoresReplyExample,
    problems: ["invalid_cursor"],
  },
  "POST /v1/sdk/pending-scores/ack": {
    operationId: "acknowledgeScores",
    summary: "Mark linked ratings as delivered or failed",
    description:
      "Delivered is final. Say `failed` only of what the observability service refuses for good. Ids that are not the project's are passed over.",
    auth: "secret",
    limit: "ack",
    query: z.object({}),
    body: ackBody,
    bodyLimit: 512 * kibibyte,
    bodyExample: { results: [{ id: "01a1fd16-8805-74a8-ace7-b794ffe595af", state: "delivered" }] },
    invalidBody: "invalid_ack",
    status: 200,
    reply: ackReply,
    replyExample: ackReplyExample,
    problems: [],
  },
  "GET /v1/privacy/export": {
    operationId: "exportResponses",
    summary: "Export the responses of a person, a survey or the whole project",
    description:
      "Without a selector: the whole project. Streamed from one snapshot; a reply that breaks off is not valid JSON.",
    auth: "secret",
    limit: "none",
    query: exportQuery,
    invalidQuery: "invalid_selectors",
    status: 200,
    reply: exportReply,
    replyExample: exportReplyExample,
    problems: ["survey_not_found"],
  },
  "DELETE /v1/privacy/erase": {
    operationId: "eraseResponses",
    summary: "Erase the responses of a person, a survey or the whole project",
    description:
      "A respondent, by id, e-mail address or both, also within one survey; a survey by its slug alone; or everything by `account`. Show-tokens stay used, and nobody who was asked is asked again. Scores that were delivered have to be deleted where they are.",
    auth: "secret",
    limit: "none",
    query: eraseQuery,
    queryCombinations: eraseCombinations,
    invalidQuery: "invalid_selectors",
    status: 200,
    reply: eraseReply,
    replyExample: eraseReplyExample,
    problems: ["survey_not_found"],
  },
  "GET /v1/definitions": {
    ...bootstrap,
    operationId: "definitions",
    summary: "Internal alias of bootstrap without a body",
    aliasOf: "POST /v1/sdk/bootstrap",
  },
  "POST /v1/responses": {
    ...submitResponse,
    operationId: "submitResponseAlias",
    summary: "Internal alias of submitResponse",
    aliasOf: "POST /v1/sdk/responses",
  },
} as const satisfies Record<`${"GET" | "POST" | "DELETE"} /v1/${string}`, Endpoint>;

/** A key of the table, for example `POST /v1/sdk/tokens`. */
export type EndpointKey = keyof typeof endpoints;
