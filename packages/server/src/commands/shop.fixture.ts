import { type IdentityKind } from "@afterword/protocol";
import { type SurveyConfig } from "@afterword/reference-server/internal";
import { type RunningServer, type StartOptions } from "../program/start-options.ts";
import { startServer } from "../program/start-server.ts";
import { survey } from "./afterword-server.fixture.ts";

const shop = {
  id: "shop",
  name: "Shop",
  allowedOrigins: ["*"],
  publishableKey: `aw_pk_${"p".repeat(43)}`,
  secretKey: `aw_sk_${"s".repeat(43)}`,
};

export interface Answer {
  respondentId: string;
  rating?: number;
  text?: string;
  sessionId?: string;
  surveyId?: string;
  identityKind?: IdentityKind;
}

const bothSurveys = ["satisfaction", "ease"].map(
  (slug) => ({ ...survey(slug), status: "active" }) as SurveyConfig,
);

export interface ShopOptions extends StartOptions {
  /** Default: two that are asked once. */
  surveys?: SurveyConfig[];
}

/** A running server with one project, and what a customer does with it. */
export class Shop implements AsyncDisposable {
  readonly server: RunningServer;

  constructor(server: RunningServer) {
    this.server = server;
  }

  static async open({ surveys = bothSurveys, ...options }: ShopOptions): Promise<Shop> {
    const config = { projects: [{ ...shop, surveys }], rateLimits: false as const };
    return new Shop(await startServer({ config, ...options }));
  }

  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    return fetch(this.server.url + path, {
      method,
      headers: { ...type, ...headers },
      body: body && JSON.stringify(body),
    });
  }

  asServer(method: string, path: string, body?: object): Promise<Response> {
    return this.call(method, path, body, { authorization: `Bearer ${shop.secretKey}` });
  }

  /** A show-token for a session. */
  async mint({ respondentId, sessionId = "session-1", surveyId = "satisfaction" }: Answer): Promise<string> {
    const reply = await this.asServer("POST", "/v1/sdk/tokens", { respondentId, sessionId, surveyId });
    const { tokens } = (await reply.json()) as { tokens: Record<string, string> };
    return tokens[surveyId]!;
  }

  /** Mints, answers, and returns the id of the response. */
  async answer(answer: Answer): Promise<string> {
    const { rating = 4, text, surveyId = "satisfaction", identityKind } = answer;
    const showToken = await this.mint(answer);
    const body = { key: shop.publishableKey, showToken, surveyId, rating, text, identityKind };
    const reply = await this.call("POST", "/v1/sdk/responses", body);
    if (reply.status !== 201) throw new Error(await reply.text());
    return ((await reply.json()) as { id: string }).id;
  }

  async dismiss(answer: Answer): Promise<void> {
    const { respondentId: userId, surveyId = "satisfaction" } = answer;
    const body = { key: shop.publishableKey, showToken: await this.mint(answer), surveyId, userId };
    const reply = await this.call("POST", "/v1/dismissals", body);
    if (reply.status !== 201) throw new Error(await reply.text());
  }

  async export(query = ""): Promise<Record<string, unknown>[]> {
    const reply = await this.asServer("GET", `/v1/privacy/export${query}`);
    return ((await reply.json()) as { responses: Record<string, unknown>[] }).responses;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.close();
  }
}

export const shopKeys = { publishable: shop.publishableKey, secret: shop.secretKey };
