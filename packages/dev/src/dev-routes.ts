import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { isLoopbackOrigin, UsageError } from "@afterword/reference-server/internal";
import { pagePolicy } from "@afterword/results";
import { type DevConfig } from "./dev-config.ts";
import { type DevLog } from "./dev-log.ts";
import { notShownReasons } from "./dev-reasons.ts";
import { devStyle } from "./dev-style.ts";
import { type AsServer, type memoryForward } from "./memory-forward.ts";
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
const ownHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policy("'none'"),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const addHeaders =
  (headers: Record<string, string>): MiddlewareHandler =>
  async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    await next();
  };

const ownOrigin = ({ req }: Context): string => `http://${req.header("host")}`;

/** Refuses requests that a page of another origin makes. */
const ownPageOnly: MiddlewareHandler = async (context, next) => {
  const { origin = ownOrigin(context), "sec-fetch-site": site = "none" } = context.req.header();
  if (origin === ownOrigin(context) && ["same-origin", "none"].includes(site)) return next();
  return context.text("Only the page of afterword-server dev may ask for this.\n", 403);
};

/** The widget and the watcher, which pages of any origin load; neither holds a secret. */
function publicFiles(app: Hono, widget: string): void {
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

const short = (value: unknown) => (typeof value === "string" ? value.slice(0, 200) : "");

/** What the routes show and change. */
interface DevParts {
  config: DevConfig;
  log: DevLog;
  /** Absent: scores stay in the queue. */
  forward: ReturnType<typeof memoryForward> | undefined;
  asServer: AsServer;
  report: () => Promise<string>;
}

/** What the watcher in a page saw: `shown` or `notShown`. */
function seenRoute(app: Hono, { config, log }: DevParts): void {
  app.post("/dev/seen", async (context) => {
    const { origin = "", "content-length": length = Infinity } = context.req.header();
    if (!isLoopbackOrigin(origin) || Number(length) > 2000)
      return context.text("Only pages of this machine may report here.\n", 403);
    const seen = Object(await context.req.json().catch(() => ({}))) as Record<string, unknown>;
    const [slug, reason, page] = [short(seen["slug"]), short(seen["reason"]), short(seen["page"])];
    const where = origin === ownOrigin(context) ? " (preview)" : `, on ${origin}${page}`;
    // Thumbs are there without being asked for, so a page that does not call `ask` for them is right.
    const isUnprompted = config.project.surveys.some((survey) => survey.slug === slug && survey.unprompted);
    const words = notShownReasons[reason]?.replace("…", slug) ?? reason;
    if (seen["name"] === "shown") log.add("shown", slug + where);
    if (seen["name"] === "notShown" && !(isUnprompted && reason === "manual"))
      log.add("not shown", `${slug}: ${words} (${reason})${where}`);
    return context.body(null, 204);
  });
}

/** What the page asks for. */
function dataRoutes(app: Hono, { config, log, forward }: DevParts): void {
  app.get("/dev/data/project", (context) => {
    const { publishableKey, secretKey, surveys } = config.project;
    return context.json({ publishableKey, secretKey, surveys, isForwarding: forward !== undefined });
  });
  app.get("/dev/data/news", (context) => {
    const entries = log.after(Number(context.req.query("after") ?? 0));
    return context.json({ entries, scores: forward?.scores() ?? [] });
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
    const survey = config.project.surveys[index]!;
    log.add("edited", survey.id);
    return context.json({ survey });
  });
}

/** The page, its previews, and the report of results. */
function pageRoutes(app: Hono, { config, asServer, report }: DevParts): void {
  app.get("/", serveStatic({ path: join(assets, "index.html") }));
  app.get("/dev/style.css", (context) =>
    context.body(devStyle, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  const toAsset = (path: string) => path.slice("/dev/assets".length);
  app.get("/dev/assets/*", serveStatic({ root: assets, rewriteRequestPath: toAsset }));
  app.get("/dev/preview/:index", async (context) => {
    const { surveys, publishableKey } = config.project;
    const survey = surveys[Number(context.req.param("index"))];
    if (!survey) return context.text("There is no such survey.\n", 404);
    context.header("content-security-policy", policy("'self'"));
    return context.html(await previewPage(survey, publishableKey, ownOrigin(context), asServer));
  });
  app.get("/dev/results", async (context) => {
    context.header("content-security-policy", `${pagePolicy}; frame-ancestors 'none'`);
    return context.html(await report());
  });
}

/** All routes but those of the service. @param widget the folder with its files */
export function devRoutes(widget: string, parts: DevParts): Hono {
  const app = new Hono();
  // Before the headers of the page's own routes: pages of other origins ask these.
  publicFiles(app, widget);
  seenRoute(app, parts);
  for (const path of ["/", "/dev/*"]) app.use(path, addHeaders(ownHeaders));
  for (const path of ["data", "preview", "results"]) app.use(`/dev/${path}/*`, ownPageOnly);
  dataRoutes(app, parts);
  pageRoutes(app, parts);
  return app;
}
