import {
  bodyOf,
  both,
  changed,
  changedHeader,
  changedJson,
  endpoints,
  type Fault,
  misread,
  misreadJson,
  ok,
  otherStatus,
  taken,
  to,
  withCode,
  withStatus,
} from "./broken.ts";

const { submit, dismiss, mint, bootstrap, queue, ack, exports, erase } = endpoints;
const isPath =
  (end: string) =>
  ({ target }: { target: string }) =>
    target.split("?")[0]!.endsWith(end);

/** What goes wrong with single endpoints and with HTTP: sections 4 to 9 of the contract, and the extensions. */
export const requestFaults: Fault[] = [
  [
    "JSON comes as",
    "text/plain is refused",
    otherStatus(({ headers }) => headers["content-type"] === "text/plain", 415),
  ],
  [
    "another media type",
    "a form is read as JSON",
    misread(
      ({ headers }) => headers["content-type"] === "application/x-www-form-urlencoded",
      ({ headers }) => ({ headers: { ...headers, "content-type": "application/json" } }),
    ),
  ],
  [
    "what is not a JSON object",
    "an array is an empty object",
    misread(
      ({ body }) => body === "[]",
      () => ({ body: "{}" }),
    ),
    "the JSON value null",
  ],
  [
    "bytes that are not UTF-8",
    "a byte order mark is refused",
    otherStatus(({ body }) => typeof body === "string" && body.startsWith("\ufeff"), 400),
  ],
  [
    "an unknown query field",
    "an unknown field of an erasure is ignored",
    misread(
      ({ target }) => target.includes("respondentid"),
      ({ target }) => ({ target: target.replace("respondentid=x", "respondentId=x") }),
    ),
  ],
  [
    "a known query field given twice",
    "the first of two fields counts",
    misread(
      ({ target }) => /[?&](\w+)=(conformance-[^&]+)&\1=\2$/.test(target),
      ({ target }) => ({ target: target.replace(/&[^&]+$/, "") }),
    ),
  ],
  [
    "key or userId that differ",
    "the body's userId wins",
    misread(
      ({ target, body }) => target.includes("userId=") && bodyOf({ body }).userId === "another",
      ({ target }) => ({ target: target.replace(/&userId=[^&]*/, "") }),
    ),
  ],
  [
    "paths are matched exactly",
    "a slash at the end is ignored",
    misread(isPath("/bootstrap/"), ({ target }) => ({ target: target.replace("bootstrap/", "bootstrap") })),
  ],
  ["a known path with another method", "a 405 has no Allow", changedHeader(withStatus(405), "allow")],
  [
    "HEAD works like GET",
    "HEAD is 405",
    otherStatus(({ method }) => method === "HEAD", 405),
    "lease=0 gives back",
  ],
  [
    "every reply is JSON in UTF-8",
    "an export may be cached",
    changedHeader(to(exports), "cache-control", "max-age=60"),
  ],
  [
    "a public request with many faults",
    "the media type is looked at before the size",
    changed(
      both(withStatus(413), ({ headers }) => headers["content-type"] === "text/html"),
      ({ text }) => ({
        status: 415,
        text: text.replace("payload_too_large", "unsupported_media_type"),
      }),
    ),
  ],
  [
    "a secret route reports the key",
    "the size is looked at before the key",
    otherStatus(
      both(to(mint), withStatus(401), ({ body }) => String(body).length > 32 * 1024),
      413,
    ),
  ],
  [
    "bootstrap lists the active surveys",
    "end labels are left out",
    changedJson(ok(bootstrap), ({ surveys }) => {
      for (const survey of surveys) delete survey.endLabels;
    }),
    "GET /v1/definitions",
  ],
  [
    "bootstrap takes key and userId",
    "bootstrap needs a body",
    otherStatus(
      both(to(bootstrap), ({ body }) => body === undefined),
      400,
    ),
    "an unknown query field",
    "GET /v1/definitions",
    "a publishable key that is missing",
  ],
  [
    "the JSON value null",
    "null is an absent body",
    misread(
      ({ body }) => body === "null",
      () => ({ body: "" }),
    ),
    "what is not a JSON object",
  ],
  [
    "GET /v1/definitions",
    "the alias sends its address to others",
    changedHeader(to("GET /v1/definitions"), "referrer-policy"),
  ],
  [
    "a response with a valid unused",
    "an IngestOk says when by a local time",
    changedJson(both(to(submit), withStatus(201)), (body) => (body.at = "2026-01-02 03:04:05")),
    "a score has its id",
    "a response with a used token",
    "a dismissal with a token that a response",
  ],
  [
    "a survey that the project does not have",
    "an unknown survey is 400",
    otherStatus(both(to(submit), withCode("survey_not_found")), 400),
    "a public request with many",
  ],
  [
    "a token for another survey",
    "a token for another survey has the code of an unknown one",
    changedJson(
      both(to(submit), withCode("token_invalid"), ({ body }) => bodyOf({ body }).surveyId === "csat"),
      (body) => (body.code = "survey_not_found"),
    ),
  ],
  [
    "the alias POST",
    "the alias is gone",
    otherStatus(to("POST /v1/responses"), 404),
    "of simultaneous requests",
    "another media type",
    "a known path with",
    "what is not a JSON",
    "bytes that are not",
    "a known query",
    "a preflight is 204",
    "a preflight allows",
    "each route takes",
  ],
  [
    "a dismissal is 201",
    "a dismissal does not suppress",
    (send) => async (request) => {
      const reply = await send(request);
      if (to(dismiss)(request, reply)) dismissed.add(bodyOf(request).userId);
      if (!ok(bootstrap)(request, reply) || !dismissed.has(bodyOf(request).userId)) return reply;
      return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), suppression: [] }) };
    },
    "bootstrap takes key and userId",
  ],
  [
    "the same dismissal again",
    "a repeated dismissal has a new time",
    changedJson(
      both(to(dismiss), withStatus(201)),
      (body) => (body.at = new Date(Date.parse("2026-01-01") + ++later).toISOString()),
    ),
    "a response after a dismissal",
  ],
  [
    "a dismissal with a token that",
    "a used token is 409 on a dismissal",
    otherStatus(both(to(dismiss), withCode("token_used")), 409),
    "erasing a record",
  ],
  [
    "a dismissal of a survey that",
    "a dismissal of an unknown survey is 401",
    otherStatus(both(to(dismiss), withStatus(404)), 401),
  ],
  [
    "a dismissal needs",
    "a dismissal needs no userId",
    misreadJson(dismiss, (body) => {
      body.userId ??= "somebody";
    }),
    "each route takes the largest",
  ],
  ["a mint gives a token", "issuedAt is missing", changedJson(ok(mint), (body) => delete body.issuedAt)],
  [
    "a mint for one survey",
    "an unknown survey is 404 at a mint",
    otherStatus(
      both(to(mint), ({ body }) => String(body).includes('"unknown"')),
      404,
    ),
    "a mint says of each",
  ],
  [
    "a mint without respondent",
    "an imported id is minted for",
    misreadJson(mint, (body) => {
      if (body.respondentId === "imp_abc") body.respondentId = "abc";
    }),
  ],
  [
    "a page lists 50",
    "a page has 49 scores by default",
    misread(
      ({ target }) => target === "/v1/sdk/pending-scores",
      ({ target }) => ({ target: `${target}?limit=49` }),
    ),
  ],
  [
    "a limit that is no plain number",
    "a limit of 0x10 is 16",
    misread(
      ({ target }) => target.includes("limit=0x10"),
      ({ target }) => ({ target: target.replace("0x10", "16") }),
    ),
  ],
  [
    "the last page has no",
    "the last page has a cursor",
    changedJson(
      both(ok(queue), ({ target }) => target.includes("limit")),
      (body) => (body.nextCursor ??= ""),
    ),
    "a page lists 50",
  ],
  [
    "walking while",
    "acknowledged scores move the next page",
    changedJson(
      both(ok(queue), ({ target }) => target.includes("limit=3&cursor")),
      ({ scores }) => scores.shift(),
    ),
  ],
  [
    "walking while",
    "a page leads to itself",
    changed(
      both(ok(queue), ({ target }) => target.includes("limit=3&cursor")),
      ({ text }, { target }) => {
        const nextCursor = new URLSearchParams(target).get("cursor");
        return { text: JSON.stringify({ ...JSON.parse(text), nextCursor }) };
      },
    ),
  ],
  [
    "a cursor that is edited",
    "a cursor of the failed scores is taken",
    misread(
      ({ target }) => /cursor=.+includeFailed/.test(target),
      ({ target }) => ({ target: target.replace("&includeFailed=true", "") }),
    ),
  ],
  [
    "a cursor of another project",
    "a foreign cursor is an empty page",
    taken(
      both(withCode("invalid_cursor"), ({ target }) => target.length > 60 && !target.includes("limit")),
      200,
      { scores: [] },
    ),
    "a cursor that is edited",
  ],
  [
    "an id that appears twice",
    "the last state of an id counts",
    misreadJson(ack, (body) => {
      if (body.results?.length === 2 && body.results[0].id === body.results[1].id) body.results.shift();
    }),
  ],
  [
    "an id that appears twice",
    "an id that appears twice is refused by a limit that never ends",
    changed(
      both(to(ack), (request) => {
        const { results = [] } = bodyOf(request);
        return results.length === 2 && results[0].id === results[1].id;
      }),
      () => ({ status: 429, headers: new Headers({ "retry-after": "1" }) }),
    ),
  ],
  [
    "one bad item",
    "good items are taken",
    misreadJson(ack, (body) => {
      body.results = body.results?.filter(({ state }: { state: string }) => state !== "lost");
    }),
  ],
  [
    "an acknowledgement has 1 to 200",
    "201 results are taken",
    misreadJson(ack, (body) => {
      body.results = body.results?.slice(0, 200);
    }),
  ],
  [
    "another project's score",
    "acknowledging a foreign score counts",
    changedJson(
      both(ok(ack), ({ headers }) => keyIs(headers, "second")),
      (body) => (body.updated = 1),
    ),
  ],
  ["an export names", "an export has no time", changedJson(ok(exports), (body) => delete body.exportedAt)],
  [
    "an export selects",
    "a person and a slug select the whole survey",
    misread(
      ({ target }) => target.startsWith("/v1/privacy/export?respondentId") && target.includes("&surveySlug"),
      ({ target }) => ({
        target: target.replace(/respondentId=[^&]*&/, ""),
      }),
    ),
  ],
  [
    "a slug that the project",
    "an unknown slug is an empty export",
    taken(both(to(exports), withStatus(404)), 200, { count: 0, responses: [] }),
  ],
  [
    "an export with an empty",
    "an empty respondentId exports all",
    misread(
      ({ target }) => target === "/v1/privacy/export?respondentId=",
      () => ({ target: "/v1/privacy/export" }),
    ),
  ],
  [
    "erasing a person deletes",
    "an erasure does not count dismissals",
    changedJson(ok(erase), (body) => (body.dismissalsDeleted = 0)),
    "the same dismissal again",
    "of simultaneous requests",
    "erasing a survey deletes",
  ],
  [
    "a note says",
    "an erasure has no note",
    changedJson(ok(erase), (body) => delete body.note),
    "erasing the account",
  ],
  [
    "erasing again",
    "an unknown person is 404",
    otherStatus(
      both(ok(erase), (_request, { text }) => text.includes('"suppressionRetained":0')),
      404,
    ),
  ],
  [
    "a person with a slug",
    "a person with a slug is erased everywhere",
    misread(
      ({ target }) => target.startsWith("/v1/privacy/erase?respondentId") && target.includes("&surveySlug"),
      ({ target }) => ({
        target: target.replace(/&surveySlug=[^&]*/, ""),
      }),
    ),
  ],
  [
    "an id and an address",
    "an erasure repeats the address",
    changedJson(
      both(ok(erase), ({ target }) => target.includes("email")),
      (body) => (body.email = "someone@example.org"),
    ),
  ],
  [
    "no selector, account",
    "account=yes purges",
    taken(({ target }) => target.includes("account=yes"), 200, { ok: true, mode: "account" }),
  ],
  [
    "erasing a survey that",
    "a foreign slug is nothing to erase",
    taken(both(to(erase), withStatus(404)), 200, { ok: true, mode: "survey" }),
  ],
  [
    "erasing a survey deletes",
    "a purge of a survey does not name it",
    changedJson(
      both(ok(erase), (_request, { text }) => text.includes('"mode":"survey"')),
      (body) => delete body.surveySlug,
    ),
  ],
  [
    "erasing the account",
    "a purge leaves scores in the queue",
    changedJson(
      both(ok(queue), ({ headers }) => keyIs(headers, "second")),
      ({ scores }) => scores.push({ id: "left" }),
    ),
    "another project's score",
  ],
];

const dismissed = new Set<string>();
let later = 0;
const keyIs = (headers: Record<string, string | string[]>, project: string) =>
  String(headers["x-service-key"]).includes(project);
