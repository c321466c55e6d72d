import { startServer, type Clock, type RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll } from "vitest";
import { startSite, type Document, type Site } from "./browser-site.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";

const secretKey = "aw_sk_browserstories0123456789ab";
/** Of a project that asks only when asked to, and of one that asks by itself. */
export const publishableKeys = {
  quiet: "aw_pk_browserstories0123456789qu",
  eager: "aw_pk_browserstories0123456789ea",
};

const base = {
  question: "How did it go?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
} as const;
const surveys = {
  quiet: [
    { ...base, id: "manual", slug: "when-asked", type: "csat", followUpQuestion: "What was missing?" },
    { ...base, id: "other", slug: "another", type: "nps" },
    { ...base, id: "inline", slug: "in-the-page", type: "ces", presentation: "inline" },
    {
      ...base,
      id: "worded",
      slug: "in-words",
      type: "csat",
      followUpQuestion: "Why?",
      followUpQuestions: { low: "What went wrong?" },
      suggestions: { low: ["Wrong", "Too slow"] },
      translations: { de: { question: "Wie war es?", suggestions: { low: ["Falsch", "Zu langsam"] } } },
    },
    { ...base, id: "run", slug: "each-run", type: "csat", askAgain: { eachRun: true } },
    { ...base, id: "month", slug: "each-month", type: "csat", askAgain: { after: "30d" } },
    { ...base, id: "second", slug: "further-down", type: "nps", presentation: "inline" },
  ],
  eager: [{ ...base, id: "auto", slug: "by-itself", type: "csat", trigger: "auto" }],
} as const;

/** How a page is made; everything has a default. */
export interface PageOptions {
  /** Attributes of the script tag beside key and address. */
  attributes?: string;
  /** Script of the page that runs before the tag is loaded, after the stub. */
  before?: string;
  body?: string;
  policy?: string;
  /** Whether the project has a survey that asks by itself. Default false. */
  isEager?: boolean;
  /** Where the service is. Default: behind the proxy. */
  baseUrl?: string;
}

/** What stands behind a page, whatever browser it is in. */
export interface Stage {
  service: RunningServer;
  /** How far the service's clock is ahead, in milliseconds. */
  aheadInMs: number;
  proxy: FaultProxy;
  site: Site;
  /** Puts a page on the site and answers where. */
  publish(options?: PageOptions): string;
  mint(
    surveyId: string,
    respondentId: string,
    sessionId: string,
  ): Promise<Record<"surveyId" | "sessionId" | "token", string>>;
  pendingScores(): Promise<{ sessionId: string; rating: number; text: string | null }[]>;
  stored(respondentId: string): Promise<{ rating: number; text: string | null }[]>;
}

const stub =
  'if (typeof afterword !== "function") window.afterword = function () { (afterword.q ??= []).push(arguments); };';

let people = 0;
/** The id of a person who has not been asked yet. */
export const newPerson = () => `person-${++people}`;

/** A page of the site and the script that it runs first. */
function documentsOf(
  path: string,
  options: PageOptions,
  ownUrl: string,
): [path: string, document: Document][] {
  const { attributes = "", before = "", body = "", isEager, baseUrl = ownUrl, policy } = options;
  const key = isEager ? publishableKeys.eager : publishableKeys.quiet;
  const text = `<!doctype html><html lang="en"><head><title>Site</title><script src="${path}.js"></script>
    <script async src="/afterword/afterword.js" data-key="${key}" data-base-url="${baseUrl}" ${attributes}></script>
    </head><body>${body}</body></html>`;
  return [
    [path, { type: "text/html", text, policy }],
    [`${path}.js`, { type: "text/javascript", text: `${stub}\n${before}` }],
  ];
}

async function startBrowserService(clock: Clock): Promise<RunningServer> {
  // A star stands for every origin but `null`, which is that of a sandboxed frame (decision D34).
  const project = { name: "Stories", allowedOrigins: ["*", "null"] };
  const projects = [
    {
      ...project,
      id: "quiet",
      publishableKey: publishableKeys.quiet,
      secretKey,
      surveys: [...surveys.quiet],
    },
    { ...project, id: "eager", publishableKey: publishableKeys.eager, surveys: [...surveys.eager] },
  ];
  return startServer({ clock, config: { projects, rateLimits: false } });
}

/** One service, one proxy before it and one site for the stories of a file. */
export function useStage(): Stage {
  const stage = { aheadInMs: 0 } as Stage;
  const now = () => Date.now() + stage.aheadInMs;
  const documents = new Map<string, Document>();

  async function secretly(path: string, body?: object) {
    const reply = await fetch(stage.service.url + path, {
      method: body ? "POST" : "GET",
      headers: { "authorization": `Bearer ${secretKey}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, never>;
  }

  beforeAll(async () => {
    stage.service = await startBrowserService({ now, monotonic: now });
    stage.proxy = await startFaultProxy(stage.service.url);
    stage.site = await startSite(documents);
  });
  afterAll(async () => {
    stage.site?.stop();
    stage.proxy?.stop();
    await stage.service?.close();
  });

  return Object.assign(stage, {
    publish(options: PageOptions = {}) {
      const path = `/page-${documents.size}`;
      for (const [at, document] of documentsOf(path, options, stage.proxy.url)) documents.set(at, document);
      return stage.site.url + path;
    },
    async mint(surveyId: string, respondentId: string, sessionId: string) {
      const { tokens } = await secretly("/v1/sdk/tokens", { respondentId, sessionId, surveyId });
      return { surveyId, sessionId, token: tokens![surveyId]! };
    },
    pendingScores: async () => (await secretly("/v1/sdk/pending-scores?limit=100"))["scores"]!,
    stored: async (respondentId: string) =>
      (await secretly(`/v1/privacy/export?respondentId=${respondentId}`))["responses"]!,
  } satisfies Partial<Stage>);
}
