import * as z from "zod";
import { type Endpoint } from "./endpoint.ts";
import { eraseCombinations, eraseQuery, eraseReply, exportQuery, exportReply } from "./privacy.ts";
import { dismissalBody, ingestOk, keyQuery, responseBody } from "./response.ts";
import * as examples from "./reply-examples.ts";
import { ackBody, ackReply, pendingScoresQuery, pendingScoresReply } from "./score.ts";
import {
  bootstrapBody,
  bootstrapQuery,
  bootstrapReply,
  mintBody,
  mintReply,
  shownBody,
  shownReply,
  tokenCheckBody,
  tokenCheckReply,
} from "./token.ts";

const kibibyte = 1024;
const publicBody = { bodyLimit: 256 * kibibyte } as const;

const bootstrap = {
  operationId: "bootstrap",
  summary: "Surveys, suppression and unbound show-tokens for a respondent",
  description:
    "Stores nothing. Do not show a survey without a token: the respondent has been asked already or must not be asked now.",
  auth: "publishable",
  limit: "public",
  query: bootstrapQuery,
  status: 200,
  reply: bootstrapReply,
  replyExample: examples.bootstrapReply,
  problems: [],
} as const satisfies Endpoint;

const submitResponse = {
  operationId: "submitResponse",
  summary: "Store a rating and use up its show-token",
  description:
    "Each show-token is good for one record, a rating or a dismissal. A session-bound token links the rating to its session, which the body cannot change; missing fields take the attested values.",
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
  replyExample: examples.ingestOk,
  problems: [
    "token_invalid",
    "token_expired",
    "token_used",
    "token_session_mismatch",
    "survey_not_found",
    "rating_out_of_range",
  ],
} as const satisfies Endpoint;

/** All endpoints of the wire, read by the server, both SDKs and the OpenAPI document (contract section 4). */
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
    summary: "Record that the respondent closed the survey and use up its show-token",
    description:
      "Sending it again with the same token returns the first reply. A token that a rating has used is 401.",
    auth: "publishable",
    limit: "public",
    query: keyQuery,
    body: dismissalBody,
    ...publicBody,
    bodyExample: { showToken: "st2.…", surveyId: "satisfaction", userId: "user-17" },
    status: 201,
    reply: ingestOk,
    replyExample: examples.ingestOk,
    problems: ["token_invalid", "token_expired", "token_used", "survey_not_found"],
  },
  "POST /v1/shown": {
    operationId: "reportShown",
    summary: "Report that a survey was at least half visible for a second",
    description:
      "Once for each show-token, where bootstrap or the mint lists `shown` in `reports`; do not retry. Leaves the token as it is. Only a number is kept, which says nothing about a person.",
    auth: "publishable",
    limit: "public",
    query: keyQuery,
    body: shownBody,
    ...publicBody,
    bodyExample: { showToken: "st2.…" },
    status: 202,
    reply: shownReply,
    replyExample: examples.shownReply,
    problems: ["token_invalid", "token_expired"],
  },
  "POST /v1/sdk/tokens": {
    operationId: "mintTokens",
    summary: "Mint session-bound show-tokens after an agent's task",
    description:
      "Call it from your server once the task is done, and pass the tokens to the page. An empty `tokens` is not an error: `reason` says why a survey has no token.",
    auth: "secret",
    scope: "mint",
    limit: "mint",
    query: z.object({}),
    body: mintBody,
    bodyLimit: 32 * kibibyte,
    bodyExample: { respondentId: "user-17", sessionId: "run-2041", taskType: "refund" },
    status: 200,
    reply: mintReply,
    replyExample: examples.mintReply,
    problems: [],
  },
  "POST /v1/sdk/tokens/check": {
    operationId: "checkToken",
    summary: "Whether show-tokens can still be used, and what was answered",
    description:
      "For a page that a link has opened, before it shows the survey, and for thumbs, which show an earlier vote. Stores nothing; a submit may still be refused later. Send either `showToken`, where a token that is forged or of another project is 401, or `showTokens`, whose reply is `tokens`: one check each, in their order, and `unknown` for such a token. `answer` is the rating that used the token, or another one of its run; only for session-bound tokens, never with text, and gone once it is erased.",
    auth: "publishable",
    limit: "public",
    query: keyQuery,
    body: tokenCheckBody,
    ...publicBody,
    bodyExample: { showToken: "st2.…" },
    status: 200,
    reply: tokenCheckReply,
    replyExample: examples.tokenCheckReply,
    problems: ["token_invalid"],
  },
  "GET /v1/sdk/pending-scores": {
    operationId: "listPendingScores",
    summary: "List linked ratings to push to the observability service",
    description:
      "Oldest first. Listing changes nothing: a score stays listed until it is acknowledged. Begin each poll without a cursor. With `lease` and `consumer`, which belong together, the listed scores are kept from other consumers until the lease ends, the score is acknowledged, or the consumer gives it back; listing them again renews the lease.",
    auth: "secret",
    scope: "scores",
    limit: "pending",
    query: pendingScoresQuery,
    status: 200,
    reply: pendingScoresReply,
    replyExample: examples.pendingScoresReply,
    problems: ["invalid_cursor"],
  },
  "POST /v1/sdk/pending-scores/ack": {
    operationId: "acknowledgeScores",
    summary: "Mark linked ratings as delivered or failed",
    description:
      "`delivered` is final. Use `failed` only if the observability service refuses the rating for good. Ids that are not the project's are ignored.",
    auth: "secret",
    scope: "scores",
    limit: "ack",
    query: z.object({}),
    body: ackBody,
    bodyLimit: 512 * kibibyte,
    bodyExample: { results: [{ id: "01a1fd16-8805-74a8-ace7-b794ffe595af", state: "delivered" }] },
    invalidBody: "invalid_ack",
    status: 200,
    reply: ackReply,
    replyExample: examples.ackReply,
    problems: [],
  },
  "GET /v1/privacy/export": {
    operationId: "exportResponses",
    summary: "Export the responses of a person, a survey or the whole project",
    description:
      "Without a selector: the whole project. A query field that is not listed is 400. Read from one snapshot; a truncated reply is not valid JSON.",
    auth: "secret",
    scope: "privacy",
    limit: "none",
    query: exportQuery,
    invalidQuery: "invalid_selectors",
    status: 200,
    reply: exportReply,
    replyExample: examples.exportReply,
    problems: ["survey_not_found"],
  },
  "DELETE /v1/privacy/erase": {
    operationId: "eraseResponses",
    summary: "Erase the responses of a person, a survey or the whole project",
    description:
      "Select a respondent by id, e-mail address or both, optionally within one survey; a survey by its slug alone; or everything by `account`. Without a selector, with `account` beside another one, or with a query field that is not listed it is 400. Used show-tokens stay used, and erased respondents are not asked again; after `account` no earlier show-token works, and everyone can be asked again. Delete delivered scores at the observability service.",
    auth: "secret",
    scope: "privacy",
    limit: "none",
    query: eraseQuery,
    queryCombinations: eraseCombinations,
    invalidQuery: "invalid_selectors",
    status: 200,
    reply: eraseReply,
    replyExample: examples.eraseReply,
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

type PathAfter<Method extends string, Key> = Key extends `${Method} ${infer Path}` ? Path : never;

/** The paths that take a POST, for clients that have no room for the table itself. */
export type PostPath = PathAfter<"POST", EndpointKey>;
