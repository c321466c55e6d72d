import {
  bodyOf,
  changed,
  changedJson,
  endpoints,
  everywhere,
  misread,
  misreadJson,
  on,
  otherStatus,
  says,
  taken,
  type Faults,
} from "./broken.ts";

const { submit, dismiss, mint, bootstrap, queue, ack, exports, erase } = endpoints;
const ingested = { ok: true, id: "01a1fd16-8805-74a8-ace7-b794ffe595af", at: "2026-01-02T03:04:05.678Z" };

/** What goes wrong with shapes and states: sections 1 to 3 of the contract. */
export const stateFaults: Faults = {
  "an expired token is 401: an expired token stores a response": taken(
    on(submit, "token_expired"),
    201,
    ingested,
  ),
  "an expired token is 401: a check says fresh of an expired token": changedJson(
    on("POST /v1/sdk/tokens/check", 200),
    (body) => {
      if (body.state === "expired") body.state = "fresh";
    },
  ),
  "a list of 1 to 100: an erased rating is still said": changedJson(
    on("POST /v1/sdk/tokens/check", 200),
    ({ tokens = [] }) => {
      for (const one of tokens) if (one.surveyId === "nps") one.answer ??= { rating: 0, at: ingested.at };
    },
  ),
  "a survey of thumbs takes: a score does not say that it is a thumb": changedJson(
    on(queue, 200),
    ({ scores }) => {
      for (const score of scores) delete score.thumbs;
    },
  ),
  "quiet period and monthly cap: a mint ignores the quiet period": changedJson(on(mint, 200), (body) => {
    if (body.suppression.includes("second-nps")) body.tokens["second-csat"] ??= "st2.x.y";
  }),
  "a submit is never refused for a cap: a submit is refused within the quiet period": otherStatus(
    on(submit, 201, says('"second-csat"')),
    409,
  ),
  "a survey with all the responses: a survey beyond its maximum has tokens": changedJson(
    on(bootstrap, 200, (_request, { text }) => text.includes("second-nps")),
    ({ showTokens }) => {
      showTokens.few ??= "st1.x.y";
    },
  ),
  "the response of a bound token: the body's task type replaces the attested one": changedJson(
    on(queue, 200),
    ({ scores }) => {
      for (const score of scores) if (score.taskType === "t-1") score.taskType = "claimed";
    },
  ),
  "a session or observation that: another session is taken": misreadJson(submit, (body) => {
    if (body.sessionId === "other") delete body.sessionId;
  }),
  "a session or observation that: an observation is taken that was not attested": misreadJson(
    submit,
    (body) => {
      if (body.observationId === "o" && body.sessionId === undefined) delete body.observationId;
    },
  ),
  "without a task type: the body's task type is dropped": misreadJson(submit, (body) => {
    if (body.taskType === "said") delete body.taskType;
  }),
  "a respondent's id is kept: spaces around an id are trimmed": changedJson(
    on(exports, 200),
    ({ responses }) => {
      for (const row of responses) row.respondentId = row.respondentId?.trim();
    },
  ),
  "the token's respondent counts: the claimed respondent counts": (send) => async (request) => {
    const { userId, showToken = "" } = bodyOf(request);
    const reply = await send(request);
    if (userId && on(submit)(request, reply) && String(showToken).startsWith("st2.")) claimed.add(userId);
    const isOfClaimed = on(exports)(request, reply) && [...claimed].some((id) => request.target.includes(id));
    return isOfClaimed ? { ...reply, text: reply.text.replace('"count":0', '"count":1') } : reply;
  },
  "a token without a respondent: the respondent of the body is lost": (send) => async (request) => {
    const body = bodyOf(request);
    const isNobodys = anonymous.has(body.showToken);
    const reply = await send(
      isNobodys ? { ...request, body: JSON.stringify({ ...body, userId: undefined }) } : request,
    );
    if (on(bootstrap, 200)(request, reply) && body.userId === undefined)
      for (const token of Object.values(JSON.parse(reply.text).showTokens ?? {})) anonymous.add(token);
    return reply;
  },
  "a token with one character: the last character of a token is not looked at": taken(
    on(submit, "token_invalid", ({ body }) => bodyOf({ body }).showToken?.startsWith("st2.")),
    201,
    ingested,
  ),
  "a used token in another spelling: padding makes a used token new": taken(
    on(submit, ({ body }) => bodyOf({ body }).showToken?.endsWith("=")),
    201,
    ingested,
  ),
  "what is no token: a text that is no token is an error of the server": otherStatus(
    on(everywhere, "token_invalid", ({ body }) => bodyOf({ body }).showToken === "💥"),
    500,
  ),
  "a token of another project: a token of another project is good for a dismissal": taken(
    on(dismiss, "token_invalid", ({ body }) => bodyOf({ body }).surveyId === "second-nps"),
    201,
    ingested,
  ),
  "a response with an unbound token: a session in the body makes a score": changedJson(
    on(ack, 200),
    (body, { results }) => {
      if (results.length === 1 && results[0].state === "delivered" && body.updated === 0) body.updated = 1;
    },
  ),
  "the longest ids: a session is cut to 255 characters": changedJson(on(queue, 200), ({ scores }) => {
    for (const score of scores) score.sessionId &&= [...score.sessionId].slice(0, 255).join("");
  }),
  "an answered survey is suppressed: suppression does not tell capital letters apart": misreadJson(
    bootstrap,
    (body) => {
      if (body.userId.startsWith("CONFORMANCE")) body.userId = body.userId.toLowerCase();
    },
  ),
  "suppression survives the erasure: an erasure takes suppression along": (send) => async (request) => {
    const reply = await send(request);
    const { userId } = bodyOf(request);
    if (on(erase, 200)(request, reply))
      erased.add(new URLSearchParams(request.target.split("?")[1]).get("respondentId"));
    if (!on(bootstrap, 200)(request, reply) || !erased.has(userId)) return reply;
    return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), suppression: [] }) };
  },
  "each type takes the ratings: a ces rating of 7 is off the scale": otherStatus(
    on(submit, 201, says('"ces","rating":7')),
    400,
  ),
  "7.0 and 1e1 are integers: a rating in quotes is taken": misread(says('"rating":"7"'), ({ body }) => ({
    body: String(body).replace('"7"', "7"),
  })),
  "a text has at most 10,000: a text of 10,001 characters is cut": misreadJson(submit, (body) => {
    if (body.text) body.text = [...body.text].slice(0, 10_000).join("");
  }),
  "NUL and lone surrogates: NUL is dropped": misread(says("\\u0000b"), ({ body }) => ({
    body: String(body).replace("\\u0000b", "b"),
  })),
  "an empty showToken: an identityKind of any kind is taken": misreadJson(submit, (body) => {
    if (body.identityKind === "someone") delete body.identityKind;
  }),
  "a userId with control characters: a line feed in a userId is taken": misreadJson(submit, (body) => {
    if (body.userId === "a\nb") body.userId = "ab";
  }),
  "unknown fields are ignored and: an unknown field is refused": otherStatus(
    on(submit, says("unknown-field")),
    400,
  ),
  "traits come back as they were: traits of two responses are merged": changedJson(
    on(exports, 200),
    ({ responses }) => {
      const merged = Object.assign({}, ...responses.map(({ traits }: { traits: object }) => traits));
      for (const row of responses) if (row.traits && responses.length > 1) row.traits = merged;
    },
  ),
  "traits may have 100 keys: 100 keys are one too many": otherStatus(
    on(submit, says('"k99"'), (request) => !says('"k100"')(request)),
    400,
  ),
  "the trait keys __proto__: the key prototype is kept": changedJson(on(exports, 200), ({ responses }) => {
    for (const row of responses) if (row.traits?.a?.ok) row.traits.a.prototype = 2;
  }),
  "a score has its id: a missing text is left out": changedJson(on(queue, 200), ({ scores }) => {
    for (const score of scores) if (score.text === null) delete score.text;
  }),
  "a row of an export: the export forgets that the person may be contacted": changedJson(
    on(exports, 200),
    ({ responses }) => {
      for (const row of responses) row.followUpRequested = false;
    },
  ),
  "a response with a used token: a used token is 401": otherStatus(on(submit, "token_used"), 401),
  "a response after a dismissal: a 409 does not say that it was a dismissal": changedJson(
    on(everywhere, "token_used"),
    ({ existing }) => {
      if (existing) existing.kind = "response";
    },
  ),
  "of simultaneous requests: one of many simultaneous submits is stored twice": changed(
    on(submit, "token_used", () => ++conflicts % 16 === 0),
    () => ({ status: 201, text: JSON.stringify({ ...ingested, id: `twice-${conflicts}` }) }),
  ),
  "two tokens of one respondent: the second token of a respondent is used up with the first":
    (send) => async (request) => {
      const reply = await send(request);
      if (!on(exports, 200)(request, reply)) return reply;
      const body = JSON.parse(reply.text);
      const seen = new Set(body.responses.map((row: { surveyId: string }) => row.surveyId));
      return body.count === 2 && seen.size === 1
        ? { ...reply, text: JSON.stringify({ ...body, count: 1 }) }
        : reply;
    },
  "erasing a record: a 409 still names the erased record": changedJson(on(submit, "token_used"), (body) => {
    body.existing ??= { id: "erased", at: ingested.at, kind: "response" };
  }),
  "a request that is refused leaves: a rating off the scale uses the token up": (send) => async (request) => {
    const { showToken, rating } = bodyOf(request);
    if (rating === 0) burnt.add(showToken);
    const reply = await send(request);
    return burnt.has(showToken) && reply.status === 201 ? { ...reply, status: 409 } : reply;
  },
  "every poll lists: a listed score is gone": (send) => async (request) => {
    const reply = await send(request);
    if (!on(queue, 200)(request, reply) || request.target.includes("includeFailed")) return reply;
    const body = JSON.parse(reply.text);
    const scores = body.scores.filter(({ id }: { id: string }) => !listed.has(id));
    for (const { id } of body.scores) listed.add(id);
    return { ...reply, text: JSON.stringify({ ...body, scores }) };
  },
  "a failed score is listed: a failed score that fails again counts": changedJson(
    on(ack, 200),
    (body, { results }) => {
      if (results.length === 1 && results[0].state === "failed" && results[0].reason === undefined)
        body.updated = 1;
    },
  ),
  "acknowledging an unknown: an unknown id is refused": otherStatus(on(ack, 200, says('"unknown"')), 404),
  "acknowledgements of one score: each acknowledgement counts what it names": changedJson(
    on(ack, 200),
    (body, { results }) => {
      if (results.length === 5) body.updated = 5;
    },
  ),
};

// What the broken servers remember.
const claimed = new Set<string>();
const anonymous = new Set<unknown>();
const erased = new Set<string | null>();
const burnt = new Set<string>();
const listed = new Set<string>();
let conflicts = 0;
