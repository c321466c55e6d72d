import {
  asks,
  bodyOf,
  changed,
  changedHeader,
  changedJson,
  endpoints,
  everywhere,
  misread,
  misreadJson,
  misreadTarget,
  on,
  otherStatus,
  says,
  taken,
  type Faults,
} from "./broken.ts";

const { submit, dismiss, mint, bootstrap, queue, ack, exports, erase } = endpoints;
const isPath =
  (end: string) =>
  ({ target }: { target: string }) =>
    target.split("?")[0]!.endsWith(end);

/** What goes wrong with single endpoints and with HTTP: sections 4 to 9 of the contract, and the extensions. */
export const requestFaults: Faults = {
  "JSON comes as: text/plain is refused": otherStatus(
    ({ headers }) => headers["content-type"] === "text/plain",
    415,
  ),
  "another media type: a form is read as JSON": misread(
    ({ headers }) => headers["content-type"] === "application/x-www-form-urlencoded",
    ({ headers }) => ({ headers: { ...headers, "content-type": "application/json" } }),
  ),
  "what is not a JSON object: an array is an empty object": misread(
    ({ body }) => body === "[]",
    () => ({ body: "{}" }),
  ),
  "bytes that are not UTF-8: a byte order mark is refused": otherStatus(
    ({ body }) => typeof body === "string" && body.startsWith("\ufeff"),
    400,
  ),
  "an unknown query field: an unknown field of an erasure is ignored": misreadTarget((target) =>
    target.replace("respondentid=x", "respondentId=x"),
  ),
  "a known query field given twice: the first of two fields counts": misreadTarget((target) =>
    target.replace(/([?&](\w+)=(conformance-[^&]+))&\2=\3$/, "$1"),
  ),
  "key or userId that differ: the body's userId wins": misread(
    ({ target, body }) => target.includes("userId=") && bodyOf({ body }).userId === "another",
    ({ target }) => ({ target: target.replace(/&userId=[^&]*/, "") }),
  ),
  "paths are matched exactly: a slash at the end is ignored": misread(
    isPath("/bootstrap/"),
    ({ target }) => ({ target: target.replace("bootstrap/", "bootstrap") }),
  ),
  "a known path with another method: a 405 has no Allow": changedHeader(on(everywhere, 405), "allow"),
  "HEAD works like GET: HEAD is 405": otherStatus(({ method }) => method === "HEAD", 405),
  "every reply is JSON in UTF-8: an export may be cached": changedHeader(
    on(exports),
    "cache-control",
    "max-age=60",
  ),
  "a public request with many faults: the media type is looked at before the size": changed(
    on(everywhere, 413, ({ headers }) => headers["content-type"] === "text/html"),
    ({ text }) => ({
      status: 415,
      text: text.replace("payload_too_large", "unsupported_media_type"),
    }),
  ),
  "a secret route reveals nothing: the size is looked at before the key": otherStatus(
    on(mint, 401, ({ body }) => String(body).length > 32 * 1024),
    413,
  ),
  "bootstrap lists the active surveys: end labels are left out": changedJson(
    on(bootstrap, 200),
    ({ surveys }) => {
      for (const survey of surveys) delete survey.endLabels;
    },
  ),
  "bootstrap takes key and userId: bootstrap needs a body": otherStatus(
    on(bootstrap, ({ body }) => body === undefined),
    400,
  ),
  "the JSON value null: null is an absent body": misread(
    ({ body }) => body === "null",
    () => ({ body: "" }),
  ),
  "GET /v1/definitions: the alias sends its address to others": changedHeader(
    on("GET /v1/definitions"),
    "referrer-policy",
  ),
  "a response with a valid unused: an IngestOk says when by a local time": changedJson(
    on(submit, 201),
    (body) => (body.at = "2026-01-02 03:04:05"),
  ),
  "a survey that the project does not have: an unknown survey is 400": otherStatus(
    on(submit, "survey_not_found"),
    400,
  ),
  "a survey that the project does not have: a token for another survey has the code of an unknown one":
    changedJson(
      on(submit, "token_invalid", ({ body }) => bodyOf({ body }).surveyId === "csat"),
      (body) => (body.code = "survey_not_found"),
    ),
  "the alias POST: the alias is gone": otherStatus(on("POST /v1/responses"), 404),
  "a dismissal is 201: a dismissal does not suppress": (send) => async (request) => {
    const reply = await send(request);
    if (on(dismiss)(request, reply)) dismissed.add(bodyOf(request).userId);
    if (!on(bootstrap, 200)(request, reply) || !dismissed.has(bodyOf(request).userId)) return reply;
    return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), suppression: [] }) };
  },
  "the same dismissal again: a repeated dismissal has a new time": changedJson(
    on(dismiss, 201),
    (body) => (body.at = new Date(Date.parse("2026-01-01") + ++later).toISOString()),
  ),
  "a dismissal with a token that: a used token is 409 on a dismissal": otherStatus(
    on(dismiss, "token_used"),
    409,
  ),
  "a dismissal of a survey that: a dismissal of an unknown survey is 401": otherStatus(on(dismiss, 404), 401),
  "a dismissal needs: a dismissal needs no userId": misreadJson(dismiss, (body) => {
    body.userId ??= "somebody";
  }),
  "a mint gives a token: issuedAt is missing": changedJson(on(mint, 200), (body) => delete body.issuedAt),
  "a mint for one survey: an unknown survey is 404 at a mint": otherStatus(on(mint, says('"unknown"')), 404),
  "a mint without respondent: an imported id is minted for": misreadJson(mint, (body) => {
    if (body.respondentId === "imp_abc") body.respondentId = "abc";
  }),
  "a page lists 50: a page has 49 scores by default": misread(
    ({ target }) => target === "/v1/sdk/pending-scores",
    ({ target }) => ({ target: `${target}?limit=49` }),
  ),
  "a limit that is no plain number: a limit of 0x10 is 16": misreadTarget((target) =>
    target.replace("0x10", "16"),
  ),
  "the last page has no: the last page has a cursor": changedJson(
    on(queue, 200, asks("limit")),
    (body) => (body.nextCursor ??= ""),
  ),
  "walking while: acknowledged scores move the next page": changedJson(
    on(queue, 200, asks("limit=3&cursor")),
    ({ scores }) => scores.shift(),
  ),
  "walking while: a page leads to itself": changed(
    on(queue, 200, asks("limit=3&cursor")),
    ({ text }, { target }) => {
      const nextCursor = new URLSearchParams(target).get("cursor");
      return { text: JSON.stringify({ ...JSON.parse(text), nextCursor }) };
    },
  ),
  "a cursor that is edited: a cursor of the failed scores is taken": misreadTarget((target) =>
    target.replace(/(cursor=.+)&includeFailed=true/, "$1"),
  ),
  "a cursor of another project: a foreign cursor is an empty page": taken(
    on(everywhere, "invalid_cursor", ({ target }) => target.length > 60 && !target.includes("limit")),
    200,
    { scores: [] },
  ),
  "an id that appears twice: the last state of an id counts": misreadJson(ack, (body) => {
    if (body.results?.length === 2 && body.results[0].id === body.results[1].id) body.results.shift();
  }),
  "an id that appears twice: an id that appears twice is refused by a limit that never ends": changed(
    on(ack, (request) => {
      const { results = [] } = bodyOf(request);
      return results.length === 2 && results[0].id === results[1].id;
    }),
    () => ({ status: 429, headers: new Headers({ "retry-after": "1" }) }),
  ),
  "one bad item: good items are taken": misreadJson(ack, (body) => {
    body.results = body.results?.filter(({ state }: { state: string }) => state !== "lost");
  }),
  "an acknowledgement has 1 to 200: 201 results are taken": misreadJson(ack, (body) => {
    body.results = body.results?.slice(0, 200);
  }),
  "another project's score: acknowledging a foreign score counts": changedJson(
    on(ack, 200, ({ headers }) => keyIs(headers, "second")),
    (body) => (body.updated = 1),
  ),
  "an export names: an export has no time": changedJson(on(exports, 200), (body) => delete body.exportedAt),
  "an export selects: a person and a slug select the whole survey": misreadTarget((target) =>
    target.replace(/^(\/v1\/privacy\/export\?)respondentId=[^&]*&(surveySlug)/, "$1$2"),
  ),
  "a slug that the project: an unknown slug is an empty export": taken(on(exports, 404), 200, {
    count: 0,
    responses: [],
  }),
  "an export with an empty: an empty respondentId exports all": misread(
    ({ target }) => target === "/v1/privacy/export?respondentId=",
    () => ({ target: "/v1/privacy/export" }),
  ),
  "erasing a person deletes: an erasure does not count dismissals": changedJson(
    on(erase, 200),
    (body) => (body.dismissalsDeleted = 0),
  ),
  "a note says: an erasure has no note": changedJson(on(erase, 200), (body) => delete body.note),
  "erasing again: an unknown person is 404": otherStatus(
    on(erase, 200, (_request, { text }) => text.includes('"suppressionRetained":0')),
    404,
  ),
  "a person with a slug: a person with a slug is erased everywhere": misreadTarget((target) =>
    target.replace(/^(\/v1\/privacy\/erase\?respondentId=[^&]*)&surveySlug=[^&]*/, "$1"),
  ),
  "an id and an address: an erasure repeats the address": changedJson(
    on(erase, 200, asks("email")),
    (body) => (body.email = "someone@example.org"),
  ),
  "no selector, account: account=yes purges": taken(asks("account=yes"), 200, { ok: true, mode: "account" }),
  "erasing a survey that: a foreign slug is nothing to erase": taken(on(erase, 404), 200, {
    ok: true,
    mode: "survey",
  }),
  "erasing a survey deletes: a purge of a survey does not name it": changedJson(
    on(erase, 200, (_request, { text }) => text.includes('"mode":"survey"')),
    (body) => delete body.surveySlug,
  ),
  "erasing the account: a purge leaves scores in the queue": changedJson(
    on(queue, 200, ({ headers }) => keyIs(headers, "second")),
    ({ scores }) => scores.push({ id: "left" }),
  ),
};

const dismissed = new Set<string>();
let later = 0;
const keyIs = (headers: Record<string, string | string[]>, project: string) =>
  String(headers["x-service-key"]).includes(project);
