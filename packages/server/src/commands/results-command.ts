import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Option } from "@commander-js/extra-typings";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { startListening } from "@afterword/command-line/start-listening";
import { findProject, UsageError } from "@afterword/reference-server/internal";
import {
  type Comparison,
  digest,
  type Grouping,
  groupingOf,
  groupings,
  pageMark,
  pagePolicy,
  periodOf,
  previous,
  readReport,
  readResults,
  reportPage,
  type ResultsQuery,
  usualPeriod,
} from "@afterword/results";
import { auditedSelection } from "../audit/audited-selection.ts";
import { defineCommand, type FlagsOf } from "./define-command.ts";
import { type DatabaseCommand, numberArgument, portArgument } from "./flags.ts";
import { beginningOf, checkOutputPath, writePrivately } from "./files.ts";
import { resultsCsv, resultsTable } from "./results-formats.ts";
import { type Session } from "./with-service.ts";

/** @throws UsageError for a comparison that cannot be made */
function comparisonOf(compare: string): Comparison {
  if (compare === "previous") return previous;
  const [from, to, ...rest] = compare.split(",");
  if (from && to && rest.length === 0) return { kind: "taskTypes", from, to };
  throw new UsageError(
    `--compare "${compare}" is neither "previous" nor two task types such as refund,invoice.`,
  );
}

/** @throws UsageError for an address that a comment's session does not fit into */
function linkTemplate(template: string): string {
  if (/^https?:\/\/.*\{sessionId\}/.test(template)) return template;
  throw new UsageError(
    `--session-url "${template}" needs http:// or https:// and the placeholder {sessionId}, such as https://runs.example.com/{sessionId}.`,
  );
}

const options = (command: DatabaseCommand) =>
  command
    .requiredOption("--project <id>", "id of the project")
    .option("--survey <survey>", "only this survey, by slug or id; also one that was deleted")
    .option("--since <date>", "from this date or time on; or a duration such as 28d", usualPeriod)
    .option("--until <date>", "through this date, or before this time")
    .option("--timezone <name>", "where days and weeks begin, such as Europe/Berlin", "UTC")
    .option(
      "--by <group>",
      `group the responses: ${groupings.join(", ")}, or the name of a fact of their runs`,
    )
    .option("--baseline <version>", "compare each version of the agent with this one")
    .option(
      "--compare <what>",
      "previous (as much time before --since), or two task types such as refund,invoice",
      comparisonOf,
    )
    .option("--measured-only", "leave out imported responses")
    .addOption(new Option("--csv", "print the result as CSV").conflicts("json"))
    .option("--bom", "begin the CSV with a byte order mark, by which Excel knows UTF-8")
    .addOption(
      new Option("--digest", "print a few lines of Markdown to post, without comments").conflicts([
        "json",
        "csv",
        "by",
      ]),
    )
    .option("--html <file>", "write a page with plots and comments; replaces an earlier one of the project")
    .option("--open", "serve the same page live, on this machine alone, until Ctrl-C")
    .option("--port <port>", "port of --open; 0 picks a free one", portArgument, 0)
    .option(
      "--comments <number>",
      "how many of the latest comments of each survey the page shows",
      numberArgument(0, 5000, "It is not a whole number from 0 to 5000."),
      100,
    )
    .option(
      "--session-url <template>",
      "link each comment to its run, such as https://runs.example.com/{sessionId}",
      linkTemplate,
    );

type ResultsFlags = FlagsOf<ReturnType<typeof options>>;

/** A fact's name with these could be a path of SQLite's JSON functions. */
const unfitForPath = /^[$[]|["\\]/;

/** @throws UsageError for flags that do not go together, or a name that no query can have */
function byOf({ by, baseline, compare }: ResultsFlags): Grouping | undefined {
  if (baseline !== undefined && compare !== undefined)
    throw new UsageError(
      "--baseline cannot be combined with --compare, since all differences of a table are judged together.",
    );
  if (baseline !== undefined && by !== undefined && by !== "version")
    throw new UsageError(
      `--baseline compares versions and cannot be combined with --by "${by}": leave --by out.`,
    );
  const name = baseline === undefined ? by : "version";
  if (name === undefined) return undefined;
  if (!unfitForPath.test(name)) return groupingOf(name);
  throw new UsageError(
    `--by "${name}" cannot be the name of a fact here: it begins with $ or [, or contains " or \\.`,
  );
}

function queryOf(flags: ResultsFlags, now: number): ResultsQuery {
  const { survey, measuredOnly, baseline, digest } = flags;
  const { compare = digest && baseline === undefined ? previous : undefined } = flags;
  return { survey, ...periodOf(flags, now), by: byOf(flags), measuredOnly, baseline, compare };
}

interface ResultsRun extends Session<ResultsFlags> {
  query: ResultsQuery;
}

/** Reads the page, whose texts are what people wrote: each reading has an audit line. */
async function page({ service, flags, query, audit }: ResultsRun): Promise<string> {
  await service.directory.refresh();
  const project = findProject(service.directory, flags.project);
  const asked = { ...query, comments: flags.comments };
  const report = await readReport(service.store.administration, service.clock, project, asked);
  const counts = { comments: report.surveys.reduce((sum, { comments }) => sum + comments.length, 0) };
  const selection = auditedSelection(project, { surveySlug: flags.survey });
  await audit.reading({ action: "read-texts", ...selection, counts });
  return reportPage(report, flags.sessionUrl);
}

const headers = {
  "cache-control": "no-store",
  "content-security-policy": `${pagePolicy}; frame-ancestors 'none'`,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Serves the page on loopback at an address that cannot be guessed, until the process is interrupted. A request that
 * names another host comes through a name that was pointed at this machine, and is refused.
 * @throws CannotListen when the port is taken
 */
async function serve(run: ResultsRun): Promise<void> {
  const { flags, print, complain } = run;
  const interruption = run.onInterrupt();
  const path = `/${randomBytes(24).toString("base64url")}/`;
  const app = new Hono();
  app.use(async (context, next) => {
    const { host: named } = new URL(context.req.url);
    if (context.req.header("host") !== authority || named !== authority)
      return context.text("Open the address that the command printed.\n", 421);
    return next();
  });
  app.get(path, async (context) => context.html(await page(run), 200, headers));
  app.notFound((context) =>
    context.text("Open the address that the command printed, with all of its letters.\n", 404),
  );
  const place = { host: "127.0.0.1", port: flags.port, flags: { host: "--open", port: "--port" } };
  const { url, close } = await startListening(createServer(getRequestListener(app.fetch)), place);
  const authority = new URL(url).host;
  print(`Results of ${flags.project}: ${url}${path}`);
  complain("Reload the page for the latest answers. Ctrl-C ends it.");
  if (!interruption.aborted) await once(interruption, "abort");
  await close();
}

/** @throws UsageError for a file that is not an earlier page of the project */
async function write(file: string, run: ResultsRun): Promise<void> {
  const { project } = run.flags;
  const mark = Buffer.from(pageMark(project));
  if ((await checkOutputPath(file, run)) && !(await beginningOf(file, mark.length)).equals(mark))
    throw new UsageError(
      `${file} is not a page with results of ${project}, and only such a page is replaced: choose another file.`,
    );
  await writePrivately(file, async (append) => append(await page(run)));
  run.print(`Wrote the results of ${project} to ${file}.`);
}

export const resultsCommand = defineCommand({
  name: "results",
  description:
    "Show scores with their 95 % intervals, responses and dismissals; with --html or --open as a page with plots",
  example: "results --project shop --since 2026-11-01 --by taskType",
  options,
  async work(session) {
    const { flags, service } = session;
    const query = queryOf(flags, service.clock.now());
    const run = { ...session, query };
    if (flags.bom && !flags.csv) throw new UsageError("--bom marks a CSV: pass --csv with it.");
    // Counting and drawing take seconds of a processor, during which submits must not wait.
    session.giveWay();
    const project = findProject(service.directory, flags.project);
    if (flags.open) return serve(run);
    if (flags.html !== undefined) return write(flags.html, run);
    const results = await readResults(service.store.administration, service.clock, project, query);
    // Excel takes a file without the mark for one in another encoding.
    if (flags.csv) return session.write((flags.bom ? "\ufeff" : "") + resultsCsv(results, query.by));
    const text = flags.digest
      ? digest(project, query, results)
      : resultsTable(results, query, service.clock.now());
    return { json: results, lines: [text] };
  },
});
