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
  otherCode,
  otherStatus,
  says,
  type Faults,
} from "./broken.ts";

const { bootstrap, mint, queue, ack, exports } = endpoints;
const isRefusal = (_request: unknown, { status }: { status: number }) => status >= 400;
const [check, shown] = ["POST /v1/sdk/tokens/check", "POST /v1/shown"];

const asked = "access-control-request-headers";

/** What goes wrong with keys, origins, refusals and limits: sections 5 to 9 of the contract, and the extensions. */
export const accessFaults: Faults = {
  "a publishable key that is missing: an empty key is an unknown one": otherCode(
    "missing_key",
    "invalid_key",
  ),
  "a secret key that is limited: a limited key may read scores": changed(on(queue, "scope_required"), () => ({
    status: 200,
    text: '{"scores":[]}',
  })),
  "a publishable key may come in the query: a dismissal needs the key in its body": otherStatus(
    on(endpoints.dismiss, asks("key=")),
    400,
  ),
  "a secret key sent as `key`: a refusal repeats the key": changed(
    on(everywhere, "invalid_key"),
    ({ text }, request) => ({
      text: text.replace("}", `,"detail":"${String(bodyOf(request).key)}"}`),
    }),
  ),
  "public routes ignore Authorization: a wrong header is 401 on public routes": otherStatus(
    on(bootstrap, ({ headers }) => headers["authorization"] === "Bearer nonsense"),
    401,
  ),
  "a secret key comes as Bearer: the scheme has to be written Bearer": otherStatus(
    ({ headers }) => String(headers["authorization"]).startsWith("bEARER"),
    401,
  ),
  "no key, a wrong one: a key without a scheme is taken": misread(
    ({ headers }) => String(headers["authorization"]).startsWith("aw_sk_"),
    ({ headers }) => ({
      headers: { ...headers, authorization: `Bearer ${String(headers["authorization"])}` },
    }),
  ),
  "if both headers are sent: X-Service-Key wins over Authorization": misread(
    ({ headers }) => headers["authorization"] === "Bearer aw_sk_nobody" && "x-service-key" in headers,
    ({ headers: { authorization: _, ...headers } }) => ({ headers }),
  ),
  "keys of two projects: the first of two projects counts": misread(
    ({ headers }) => "authorization" in headers && String(headers["x-service-key"]).includes("second"),
    ({ headers: { "x-service-key": _, ...headers } }) => ({ headers }),
  ),
  "every key belongs to one project: an export has a row of another project": changedJson(
    on(exports, 200, ({ headers }) => String(headers["x-service-key"]).includes("second")),
    (body) => (body.count += 1),
  ),
  "a secret route reveals nothing: the body is looked at before the key": changed(
    on(everywhere, 401, ({ body }) => String(body).startsWith("{not json")),
    () => ({ status: 400 }),
  ),
  "an allowed origin is echoed: a 409 cannot be read by the page": changedHeader(
    on(everywhere, 409),
    "access-control-allow-origin",
  ),
  "any other origin: https and http are one origin": misread(
    ({ headers }) => headers["origin"] === "http://app.example",
    ({ headers }) => ({ headers: { ...headers, origin: "https://app.example" } }),
  ),
  "a request without an origin: an empty list allows all pages": misread(
    ({ headers, body }) => "origin" in headers && String(body).includes("second"),
    ({ headers: { origin: _, ...headers } }) => ({ headers }),
  ),
  "a preflight is 204: a preflight allows no content-type": changedHeader(
    on(everywhere, 204),
    "access-control-allow-headers",
  ),
  "a preflight allows the headers that it asks for: a preflight allows no header of a tracer": changedHeader(
    on(everywhere, 204),
    "access-control-allow-headers",
    "content-type",
  ),
  "a preflight allows the headers that it asks for: a preflight allows whatever it is sent": changed(
    on(everywhere, 204),
    ({ headers }, { headers: { [asked]: names } }) => {
      const copy = new Headers(headers);
      if (names !== undefined) copy.set("access-control-allow-headers", String(names));
      return { headers: copy };
    },
  ),
  "a preflight allows the headers that it asks for: a cache gives a preflight the headers of another":
    changedHeader(on(everywhere, 204), "vary", "Origin"),
  "secret routes know no CORS: a secret route echoes the origin": changedHeader(
    on(queue, ({ headers }) => "origin" in headers),
    "access-control-allow-origin",
    "*",
  ),
  "a refusal is application/problem+json: a refusal is plain JSON": changedHeader(
    isRefusal,
    "content-type",
    "application/json",
  ),
  "no field of a refusal: a refusal repeats a cursor": changed(
    on(everywhere, "invalid_cursor"),
    ({ text }, { target }) => ({
      text: text.replace("}", `,"detail":"${target}"}`),
    }),
  ),
  "each route takes the largest: a mint takes 33 KiB": otherStatus(on(mint, 413), 400),
  "deep, long and hostile: a number with a huge exponent is an error of the server": otherStatus(
    says("1e999999999"),
    500,
  ),
  "a reply of a limited route: a mint has no RateLimit": changedHeader(on(mint), "ratelimit"),
  "beyond a limit: a 429 has no Retry-After": changedHeader(on(everywhere, 429), "retry-after"),
  "openapi.yaml describes: openapi.yaml has another version": changed(
    ({ target }) => target === "/openapi.yaml",
    ({ text }) => ({ text: text.replace('"0.1"', '"0.2"') }),
  ),
  "a check says fresh or used: a check says fresh of a used token": changedJson(
    on(check, 200),
    (body) => (body.state = "fresh"),
  ),
  "a report that a survey was shown: a second report is refused": (send) => async (request) => {
    const { showToken } = bodyOf(request);
    const reply = await send(request);
    if (!on(shown)(request, reply) || reported.size === reported.add(showToken).size - 1) return reply;
    return reply.status === 202 ? { ...reply, status: 409 } : reply;
  },
  "words, suggestions and translations: translations are left out": changedJson(
    on(bootstrap, 200),
    ({ surveys }) => {
      for (const survey of surveys) delete survey.translations;
    },
  ),
  "a failed score may have a reason: a reason of 81 characters is cut": misreadJson(ack, (body) => {
    for (const result of body.results ?? []) if (result.reason?.length === 81) result.reason = "cut";
  }),
  "what a mint says about its run: the page may name its run": changedJson(on(queue, 200), ({ scores }) => {
    for (const score of scores) if (score.run) score.run = { version: "9" };
  }),
  "a run that breaks its limits: the pointer names no fact": changedJson(
    on(everywhere, "invalid_body"),
    (body) => {
      for (const error of body.errors ?? []) error.pointer = error.pointer.replace("/run/", "/");
    },
  ),
  "sampling is decided at mint: a run is drawn anew by each mint": (send) => async (request) => {
    const body = bodyOf(request);
    if (!body.respondentId || body.surveyId !== "half") return send(request);
    return send({
      ...request,
      body: JSON.stringify({ ...body, sessionId: `${body.sessionId}-${++draws}` }),
    });
  },
  "a 409 says whether: another text is the same answer": changedJson(
    on(everywhere, "token_used"),
    ({ existing }) => {
      if (existing && "isSame" in existing) existing.isSame = true;
    },
  ),
  "it says so with the first three: every 409 says whether it is the same": changedJson(
    on(everywhere, "token_used"),
    ({ existing }) => {
      if (existing?.kind === "response") existing.isSame ??= true;
    },
  ),
  "a mint says of each survey: a paused survey is unknown": changedJson(on(mint, 200), ({ reason }) => {
    if (reason?.paused) reason.paused = "survey_unknown";
  }),
  "the reason is maximum: a full survey is gated": changedJson(on(mint, 200), ({ reason }) => {
    if (reason?.few) reason.few = "gated";
  }),
  "a leased score is kept: a lease keeps nothing": misread(
    ({ target }) => {
      const [, consumer] = lease.exec(target) ?? [];
      leasing ??= consumer;
      return consumer !== undefined && consumer !== leasing;
    },
    ({ target }) => ({ target: target.replace(lease, "") }),
  ),
  "a page with a lease: a page says that nothing is leased": changedJson(on(queue, 200), (body) => {
    if (body.leased) body.leased = { count: 0, until: null };
  }),
  "lease=0 gives back: HEAD takes a lease": misread(
    ({ method, target }) => method === "HEAD" && target.includes("lease"),
    () => ({ method: "GET" }),
  ),
  "lease and consumer belong: 301 seconds are 300": misreadTarget((target) =>
    target.replace("lease=301", "lease=300"),
  ),
  "a survey that is asked in each run: bootstrap suppresses a survey of each run": changedJson(
    on(bootstrap, 200),
    ({ suppression, showTokens }) => {
      if (showTokens.nps && suppression.length === 0 && showTokens.worded) suppression.push("each-run");
    },
  ),
  "all tokens minted for one person: tokens of one run are two": changed(
    on(endpoints.submit, "token_used", says('"each-run"')),
    () => ({ status: 201 }),
  ),
  "an unprompted survey: an unprompted survey starts a quiet period": (send) => async (request) => {
    const { userId, respondentId, surveyId } = bodyOf(request);
    const reply = await send(request);
    if (surveyId === "thumbs" && respondentId) prompted.add(respondentId);
    if (!on(bootstrap, 200)(request, reply) || !prompted.has(userId)) return reply;
    return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), showTokens: {} }) };
  },
  "a dismissal of a survey asked in each: a dismissal ends with its run": changedJson(
    on(mint, 200),
    ({ suppression, tokens }) => {
      if (suppression.includes("each-run")) tokens["each-run"] ??= "st2.x.y";
    },
  ),
};

const reported = new Set<string>();
const prompted = new Set<string>();
/** A lease within its bounds, as a query that ends with it or goes on. */
const lease = /lease=(?:0|1|60)&consumer=([^&]{1,64})(?=&|$)/;
let leasing: string | undefined;
let draws = 0;
