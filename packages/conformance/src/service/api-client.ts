import { type AnyJson } from "./any-json.ts";
import { exchange, type Exchange, type HttpReply } from "./exchange.ts";

/** The keys of one project. */
export interface ProjectKeys {
  publishableKey: string;
  secretKey: string;
}

/** A reply with its body read as JSON, `undefined` where it is none. */
export interface Reply extends HttpReply {
  /** Method and path, for messages. */
  request: string;
  json: AnyJson;
}

/** What a request carries beside its endpoint. */
export interface Call {
  query?: Record<string, string> | string;
  /** Sent as JSON; a string or bytes as they are. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
}

type Fields = Record<string, unknown>;

/** A faulty server may make up a new cursor for each page. */
const mostPages = 10_000;

function payloadOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Parses JSON; other text is undefined. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls one project's routes over real HTTP and hides nothing of the reply. */
export class ApiClient {
  readonly baseUrl: string;
  readonly keys: ProjectKeys;
  readonly #exchange: Exchange;
  readonly #sessionId: string;

  /** A mint is for the session unless its fields name another. */
  constructor(baseUrl: string, keys: ProjectKeys, send = exchange, sessionId = "session") {
    this.baseUrl = baseUrl;
    this.keys = keys;
    this.#exchange = send;
    this.#sessionId = sessionId;
  }

  call(method: string, path: string, call: Call = {}): Promise<Reply> {
    const mediaType = call.body !== undefined && { "content-type": "application/json" };
    return this.#send(method, path, { ...call, headers: { ...mediaType, ...call.headers } });
  }

  async #send(method: string, path: string, { query = {}, body, headers = {} }: Call): Promise<Reply> {
    const search = typeof query === "string" ? query : new URLSearchParams(query).toString();
    const target = `${path}${search && `?${search}`}`;
    const { baseUrl } = this;
    const reply = await this.#exchange({ method, baseUrl, target, headers, body: payloadOf(body) });
    return { ...reply, request: `${method} ${path}`, json: jsonOf(reply.text) };
  }

  /** A POST whose headers name no media type. */
  withoutMediaType(path: string, body: string): Promise<Reply> {
    return this.#send("POST", path, { body });
  }

  server(method: string, path: string, call: Call = {}): Promise<Reply> {
    const headers = { "x-service-key": this.keys.secretKey, ...call.headers };
    return this.call(method, path, { ...call, headers });
  }

  bootstrap(userId?: string, call: Call = {}): Promise<Reply> {
    const body = { key: this.keys.publishableKey, userId };
    return this.call("POST", "/v1/sdk/bootstrap", { body, ...call });
  }

  mint(fields: Fields): Promise<Reply> {
    return this.server("POST", "/v1/sdk/tokens", { body: { sessionId: this.#sessionId, ...fields } });
  }

  submit(fields: Fields, path = "/v1/sdk/responses"): Promise<Reply> {
    return this.call("POST", path, { body: { key: this.keys.publishableKey, ...fields } });
  }

  dismiss(fields: Fields): Promise<Reply> {
    return this.call("POST", "/v1/dismissals", { body: { key: this.keys.publishableKey, ...fields } });
  }

  shown(showToken: string): Promise<Reply> {
    return this.call("POST", "/v1/shown", { body: { key: this.keys.publishableKey, showToken } });
  }

  check(given: string | Fields): Promise<Reply> {
    const fields = typeof given === "string" ? { showToken: given } : given;
    return this.call("POST", "/v1/sdk/tokens/check", { body: { key: this.keys.publishableKey, ...fields } });
  }

  pending(query: Record<string, string> = {}): Promise<Reply> {
    return this.server("GET", "/v1/sdk/pending-scores", { query });
  }

  ack(results: { id: string; state: string; reason?: unknown }[]): Promise<Reply> {
    return this.server("POST", "/v1/sdk/pending-scores/ack", { body: { results } });
  }

  export(query: Record<string, string> = {}): Promise<Reply> {
    return this.server("GET", "/v1/privacy/export", { query });
  }

  erase(query: Record<string, string>): Promise<Reply> {
    return this.server("DELETE", "/v1/privacy/erase", { query });
  }

  /** An unbound token for a survey. */
  async unboundToken(surveyId: string, userId?: string): Promise<string> {
    return (await this.bootstrap(userId)).json.showTokens[surveyId];
  }

  /** A session-bound token for a survey. */
  async boundToken(surveyId: string, fields: Fields & { respondentId: string }): Promise<string> {
    return (await this.mint({ surveyId, ...fields })).json.tokens[surveyId];
  }

  /** An answer to submit: an unbound token that is unused, and a rating of every scale. */
  async fresh(surveyId: string, userId: string) {
    return { showToken: await this.unboundToken(surveyId, userId), surveyId, rating: 2 };
  }

  /** What the server has stored of a respondent. */
  async rows(respondentId: string): Promise<AnyJson[]> {
    return (await this.export({ respondentId })).json.responses;
  }

  /** Mints, answers, and returns the stored id: one linked response. */
  async answer(surveyId: string, respondentId: string, fields: Fields = {}): Promise<string> {
    const showToken = await this.boundToken(surveyId, { respondentId });
    return (await this.submit({ showToken, surveyId, rating: 2, ...fields })).json.id;
  }

  /** The replies of the queue, page after page. Rejects where its pages have no end. */
  async *pages(query: Record<string, string> = {}): AsyncGenerator<Reply> {
    const cursors = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const reply = await this.pending({ limit: "100", ...query, ...(cursor && { cursor }) });
      yield reply;
      cursor = reply.json.nextCursor;
      if (!cursor) return;
      if (cursors.has(cursor)) throw new Error("the queue leads in a circle: a cursor has come twice");
      if (cursors.size >= mostPages) throw new Error(`the queue has more than ${mostPages} pages`);
      cursors.add(cursor);
    }
  }

  /** Every row that the queue lists, over all pages. */
  async drain(query: Record<string, string> = {}): Promise<AnyJson[]> {
    const rows: AnyJson[] = [];
    for await (const { json } of this.pages(query)) rows.push(...json.scores);
    return rows;
  }
}
