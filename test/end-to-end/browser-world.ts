import { startServer, type RunningServer } from "@afterword/reference-server";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { chromiumArguments } from "../chromium.ts";
import { startSite, type Document, type Site } from "./browser-site.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";

const secretKey = "aw_sk_browserstories0123456789ab";
/** Of a project that asks only when asked to, and of one that asks by itself. */
const keys = { quiet: "aw_pk_browserstories0123456789qu", eager: "aw_pk_browserstories0123456789ea" };

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

export interface OpenPage {
  page: Page;
  /** Errors and rejections that nobody caught, and refusals of the content security policy. */
  faults: string[];
}

export interface World {
  service: RunningServer;
  proxy: FaultProxy;
  site: Site;
  /** A browser profile of its own: storage, cookies, tabs. */
  newContext(): Promise<BrowserContext>;
  open(options?: PageOptions, context?: BrowserContext): Promise<OpenPage>;
  mint(surveyId: string, respondentId: string, sessionId: string): Promise<object>;
  pendingScores(): Promise<{ sessionId: string; rating: number; text: string | null }[]>;
  stored(respondentId: string): Promise<{ rating: number; text: string | null }[]>;
}

const stub =
  "window.afterword = window.afterword || function () { (afterword.q = afterword.q || []).push(arguments); };";

let people = 0;
/** A person nobody has asked yet. */
export const somebody = () => `person-${++people}`;

/** A page of the site and the script that it runs first. */
function documentsOf(
  path: string,
  options: PageOptions,
  ownUrl: string,
): [path: string, document: Document][] {
  const { attributes = "", before = "", body = "", isEager, baseUrl = ownUrl, policy } = options;
  const key = isEager ? keys.eager : keys.quiet;
  const text = `<!doctype html><html lang="en"><head><title>Site</title><script src="${path}.js"></script>
    <script async src="/afterword/afterword.js" data-key="${key}" data-base-url="${baseUrl}" ${attributes}></script>
    </head><body>${body}</body></html>`;
  return [
    [path, { type: "text/html", text, policy }],
    [`${path}.js`, { type: "text/javascript", text: `${stub}\n${before}` }],
  ];
}

async function startBrowserService(): Promise<RunningServer> {
  // A star stands for every origin but `null`, which is that of a sandboxed frame (decision D34).
  const project = { name: "Stories", allowedOrigins: ["*", "null"] };
  const projects = [
    { ...project, id: "quiet", publishableKey: keys.quiet, secretKey, surveys: [...surveys.quiet] },
    { ...project, id: "eager", publishableKey: keys.eager, surveys: [...surveys.eager] },
  ];
  return startServer({ config: { projects, rateLimits: false } });
}

/** One service, one proxy before it, one site and one browser for the stories of a file. */
export function useWorld(): World {
  const world = {} as World & { browser: Browser };
  const documents = new Map<string, Document>();

  async function secretly(path: string, body?: object) {
    const reply = await fetch(world.service.url + path, {
      method: body ? "POST" : "GET",
      headers: { "authorization": `Bearer ${secretKey}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, never>;
  }

  beforeAll(async () => {
    world.service = await startBrowserService();
    world.proxy = await startFaultProxy(world.service.url);
    world.site = await startSite(documents);
    world.browser = await chromium.launch({
      executablePath: inject("chromiumPath"),
      args: chromiumArguments,
    });
  });
  afterAll(async () => {
    await world.browser?.close();
    world.site?.stop();
    world.proxy?.stop();
    await world.service?.close();
  });

  return Object.assign(world, {
    newContext: () => world.browser.newContext({ reducedMotion: "reduce" }),
    async open(options: PageOptions = {}, context?: BrowserContext): Promise<OpenPage> {
      const path = `/page-${documents.size}`;
      for (const [at, document] of documentsOf(path, options, world.proxy.url)) documents.set(at, document);
      const page = await (context ?? (await world.newContext())).newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
      });
      await page.goto(world.site.url + path);
      return { page, faults };
    },
    async mint(surveyId: string, respondentId: string, sessionId: string) {
      const { tokens } = await secretly("/v1/sdk/tokens", { respondentId, sessionId, surveyId });
      return { surveyId, sessionId, token: tokens![surveyId] };
    },
    pendingScores: async () => (await secretly("/v1/sdk/pending-scores?limit=100"))["scores"]!,
    stored: async (respondentId: string) =>
      (await secretly(`/v1/privacy/export?respondentId=${respondentId}`))["responses"]!,
  } satisfies Partial<World>);
}
