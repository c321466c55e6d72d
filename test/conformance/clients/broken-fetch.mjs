// Loaded before a client by --import: breaks it in the one way that CLIENT_FAULT names, so that a clause has to fail.
const send = globalThis.fetch;

/** A client that sends other JSON than it should. */
const sending = (path, change) => async (request) => {
  if (!request.url.includes(path)) return send(request);
  const body = await request.clone().json();
  change(body);
  const { method, headers, signal } = request;
  return send(request.url, { method, headers, signal, body: JSON.stringify(body) });
};

/** A client that sends a request again at once, where a reply is such. */
const repeating = (isSuch) => async (request) => {
  const again = request.clone();
  const reply = await send(request);
  return isSuch(reply.status) ? send(again) : reply;
};

let submits = 0;

const faults = {
  "key in the query": (request) =>
    send(new Request(`${request.url}?key=${process.env.AFTERWORD_SECRET_KEY}`, request)),
  "no patience": repeating((status) => status === 429),
  "no refusal is final": repeating((status) => status >= 400 && status < 500 && status !== 429),
  "no text": sending("/v1/sdk/responses", (body) => delete body.text),
  "every 409 is stored": async (request) => {
    const reply = await send(request);
    return reply.status === 409 ? Response.json({ ok: true, id: "r1", at: "" }, { status: 201 }) : reply;
  },
  "another answer the second time": sending("/v1/sdk/responses", (body) => (body.rating += submits++)),
  "everyone is asked": async (request) => {
    const reply = await send(request);
    if (!request.url.includes("/bootstrap")) return reply;
    const { surveys, ...rest } = await reply.json();
    return Response.json({ ...rest, surveys: surveys.map((survey) => ({ ...survey, targeting: [] })) });
  },
  "numbers in texts are numbers": async (request) => {
    const reply = await send(request);
    if (!request.url.includes("/bootstrap")) return reply;
    const { surveys, ...rest } = await reply.json();
    for (const rule of surveys.flatMap(({ targeting = [] }) => targeting))
      if (rule.trait === "seats" && /^[gl]te?$/.test(rule.op)) rule.value = Number(rule.value);
    return Response.json({ ...rest, surveys });
  },
  "everything is delivered": sending("/ack", ({ results }) => {
    for (const result of results) result.state = "delivered";
  }),
  "a score is delivered as failed": sending("/ack", ({ results }) => (results[0].state = "failed")),
};

const fault = faults[process.env.CLIENT_FAULT];
globalThis.fetch = (input, init) => fault(new Request(input, init));
