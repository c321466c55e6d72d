import { type Exchange, type HttpReply, type HttpRequest } from "@afterword/conformance";

/** A server that breaks the contract in one way, between the kit and a real one. */
export type Broken = (send: Exchange) => Exchange;

/** By the beginning of the title of the clause that fails, a colon, and what the server does wrong. */
export type Faults = Record<string, Broken>;

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every endpoint
type Body = any;
type Which = (request: HttpRequest, reply: HttpReply) => boolean;

/** The JSON of a request. */
export const bodyOf = ({ body }: { body?: unknown }): Body => {
  try {
    return Object(JSON.parse(String(body))) as Body;
  } catch {
    return {};
  }
};

export const endpoints = {
  submit: "POST /v1/sdk/responses",
  dismiss: "POST /v1/dismissals",
  mint: "POST /v1/sdk/tokens",
  bootstrap: "POST /v1/sdk/bootstrap",
  queue: "GET /v1/sdk/pending-scores",
  ack: "POST /v1/sdk/pending-scores/ack",
  exports: "GET /v1/privacy/export",
  erase: "DELETE /v1/privacy/erase",
};

export const everywhere = "";

/** Exchanges of one endpoint, or everywhere, with a status, with the code of a refusal, and with whatever else is named. */
export const on =
  (endpoint: string, ...all: (number | string | Which)[]): Which =>
  (request, reply) =>
    (endpoint === everywhere || endpoint === `${request.method} ${request.target.split("?")[0]}`) &&
    all.every((one) => {
      if (typeof one === "number") return reply.status === one;
      return typeof one === "string" ? reply.text.includes(`"code":"${one}"`) : one(request, reply);
    });

/** Requests whose body has this text. */
export const says =
  (text: string) =>
  ({ body }: HttpRequest): boolean =>
    String(body).includes(text);

/** Requests whose target has this text. */
export const asks =
  (text: string) =>
  ({ target }: HttpRequest): boolean =>
    target.includes(text);

/** A server that changes some replies. */
export const changed =
  (which: Which, change: (reply: HttpReply, request: HttpRequest) => Partial<HttpReply>): Broken =>
  (send) =>
  async (request) => {
    const reply = await send(request);
    return which(request, reply) ? { ...reply, ...change(reply, request) } : reply;
  };

/** A server that changes the JSON of some replies. */
export const changedJson = (which: Which, change: (body: Body, request: Body) => void): Broken =>
  changed(which, ({ text }, request) => {
    if (text === "") return {};
    const body = JSON.parse(text) as Body;
    change(body, bodyOf(request));
    return { text: JSON.stringify(body) };
  });

/** A server that changes one header of some replies; without a value it is left out. */
export const changedHeader = (which: Which, name: string, value?: string): Broken =>
  changed(which, ({ headers }) => {
    const copy = new Headers(headers);
    if (value === undefined) copy.delete(name);
    else copy.set(name, value);
    return { headers: copy };
  });

/** A server that refuses with another status. */
export const otherStatus = (which: Which, status: number): Broken => changed(which, () => ({ status }));

/** A server that refuses with another code. */
export const otherCode = (code: string, another: string): Broken =>
  changedJson(on(everywhere, code), (body) => (body.code = another));

/** A server that reads a request in another way than it was sent. */
export const misread =
  (
    which: (request: HttpRequest) => boolean,
    change: (request: HttpRequest) => Partial<HttpRequest>,
  ): Broken =>
  (send) =>
  (request) =>
    send(which(request) ? { ...request, ...change(request) } : request);

/** A server that reads another target than was sent. */
export const misreadTarget = (change: (target: string) => string): Broken =>
  misread(
    () => true,
    ({ target }) => ({ target: change(target) }),
  );

/** A server that changes the JSON body of some requests before it reads them. */
export const misreadJson = (endpoint: string, change: (body: Body) => void): Broken =>
  misread(
    ({ method, target, body }) =>
      `${method} ${target.split("?")[0]}` === endpoint && typeof body === "string" && body.startsWith("{"),
    ({ body }) => {
      try {
        const json = JSON.parse(String(body)) as Body;
        change(json);
        return { body: JSON.stringify(json) };
      } catch {
        return {};
      }
    },
  );

/** A server that takes what it should refuse: its reply becomes this one. */
export const taken = (which: Which, status: number, body: object): Broken =>
  changed(which, () => ({ status, text: JSON.stringify(body) }));
