import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type MiddlewareHandler } from "hono";
import { isLoopbackOrigin, UsageError } from "@afterword/reference-server/internal";
import { pagePolicy } from "@afterword/results";
import { type DevConfig } from "./dev-config.ts";
import { type DevLog } from "./dev-log.ts";
import { notShownReasons } from "./dev-reasons.ts";
import { devStyle } from "./dev-style.ts";
import { type AsServer, type MemoryForward } from "./memory-forward.ts";
import { previewPage } from "./preview-page.ts";

/** Whether this runs in a clone, unbuilt. */
const isSource = import.meta.url.endsWith(".ts");
/** The build puts scripts and HTML of the page beside the program; the scripts exist only there. */
const assets = join(import.meta.dirname, isSource ? "page" : "dev");
const widget = join(import.meta.dirname, isSource ? "../../browser/dist" : "widget");

/** Where the built files of the widget are. @throws UsageError where they were not built, as in images */
export function widgetFolder(): string {
  if (existsSync(join(widget, "afterword.js"))) return widget;
  throw new UsageError(
    "The files of the widget are missing: use the npm package @afterword/server, or in a clone run: npx -y pnpm@12 build",
  );
}

/** Everything comes from here, nothing is inline, and texts cannot become HTML. */
const policy = (framedBy: "'none'" | "'self'") =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
  `base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; frame-ancestors ${framedBy}`;

/** Other pages of this machine are other origins of the same site: they may neither read, frame nor embed these. */
const ownHeaders = (contentSecurityPolicy: string): Record<string, string> => ({
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
});

const addHeaders =
  (headers: Record<string, string>): MiddlewareHandler =>
  async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    await next();
  };

/** Refuses requests that a page of another origin makes. */
const ownPageOnly: MiddlewareHandler = async (context, next) => {
  const origin = context.req.header("origin") ?? `http://${context.req.header("host")}`;
  const site = context.req.header("sec-fetch-site") ?? "same-origin";
  const isOwn = origin === `http://${context.req.header("host")}` && ["same-origin", "none"].includes(site);
  if (!isOwn) return context.text("Only the page of afterword-server dev may ask for this.\n", 403);
  return next();
};

/** The widget and the watcher, which pages of any origin load; neither holds a secret. */
export function publicFiles(app: Hono, widget: string): void {
  const open = addHeaders({
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
  const toFile = (path: string) => path.slice("/widget".length);
  app.get("/widget/*", open, serveStatic({ root: widget, rewriteRequestPath: toFile }));
  app.get("/watch.js", open, serveStatic({ path: join(assets, "watch.js") }));
}

type Seen = Partial<Record<"name" | "slug" | "reason" | "page", unknown>>;

const short = (value: unknown) => (typeof value === "string" ? value.slice(0, 200) : "");

/** What the watcher in a page saw: `shown` or `notShown`. */
export function seenRoute(app: Hono, config: DevConfig, log: DevLog): void {
  app.post("/dev/seen", async (context) => {
    const origin = context.req.header("origin") ?? "";
    if (!isLoopbackOrigin(origin) || Number(context.req.header("content-length") ?? Infinity) > 2000)
      return context.text("Only pages of this machine may report here.\n", 403);
    const seen = Object(await context.req.json().catch(() => ({}))) as Seen;
    const isPreview = origin === `http://${context.req.header("host")}`;
    const slug = short(seen.slug);
    const where = isPreview ? "" : `, on ${origin}${short(seen.page)}`;
    const reason = short(seen.reason);
    // Thumbs are there without being asked for, so a page that does not call `ask` for them is right.
    const isUnprompted = config.project.surveys.some((survey) => survey.slug === slug && survey.unprompted);
    if (isUnprompted && reason === "manual") return context.body(null, 204);
    const words = notShownReasons[reason]?.replace("…", slug) ?? reason;
    if (seen.name === "shown") log.add("shown", slug + where, isPreview);
    if (seen.name === "notShown") log.add("not shown", `${slug}: ${words} (${reason})${where}`, isPreview);
    return context.body(null, 204);
  });
}

/** What the page asks for. @param forward absent: scores stay in the queue */
export function dataRoutes(app: Hono, config: DevConfig, log: DevLog, forward?: MemoryForward): void {
  app.use("/dev/data/*", addHeaders(ownHeaders(policy("'none'"))), ownPageOnly);
  app.get("/dev/data/project", (context) => {
    const { publishableKey, secretKey, surveys } = config.project;
    return context.json({ publishableKey, secretKey, surveys, isForwarding: forward !== undefined });
  });
  app.get("/dev/data/news", (context) => {
    const entries = log.after(Number(context.req.query("after") ?? 0));
    return context.json({ entries, scores: forward?.scores ?? [] });
  });
  app.put("/dev/data/surveys/:index", async (context) => {
    const index = Number(context.req.param("index"));
    try {
      await config.edit(index, await context.req.text());
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof UsageError) return context.json({ problem: message }, 400);
      const remedy = "Make room or bring its folder back, and edit again.";
      return context.json({ problem: `Not stored: ${message.split(",")[0]}. ${remedy}` }, 503);
    }
    return context.json({ survey: config.project.surveys[index] });
  });
}

/** The page, its previews, and the report of results. */
export function pageRoutes(
  app: Hono,
  config: DevConfig,
  asServer: AsServer,
  report: () => Promise<string>,
): void {
  const own = addHeaders(ownHeaders(policy("'none'")));
  app.get("/", own, serveStatic({ path: join(assets, "index.html") }));
  app.get("/dev/style.css", own, (context) =>
    context.body(devStyle, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  const toAsset = (path: string) => path.slice("/dev/assets".length);
  app.get("/dev/assets/*", own, serveStatic({ root: assets, rewriteRequestPath: toAsset }));
  app.get("/dev/preview/:index", addHeaders(ownHeaders(policy("'self'"))), ownPageOnly, async (context) => {
    const { surveys, publishableKey } = config.project;
    const survey = surveys[Number(context.req.param("index"))];
    if (!survey) return context.text("There is no such survey.\n", 404);
    const baseUrl = `http://${context.req.header("host")}`;
    return context.html(await previewPage(survey, publishableKey, baseUrl, asServer));
  });
  const resultsPolicy = addHeaders(ownHeaders(`${pagePolicy}; frame-ancestors 'none'`));
  app.get("/dev/results", resultsPolicy, ownPageOnly, async (context) => context.html(await report()));
}
