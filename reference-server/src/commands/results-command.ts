import { type Command, InvalidArgumentError, Option } from "commander";
import { findProject } from "../domain/find-project.ts";
import { type Service } from "../domain/service.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Comparison } from "../results/changes.ts";
import { readResults, type ResultsQuery } from "../results/read-results.ts";
import { readReport } from "../results/read-report.ts";
import { reportPage } from "../results/report-page.ts";
import { groupings, type Grouping } from "../results/summary.ts";
import { momentOf } from "../results/times.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { checkOutput } from "./output-file.ts";
import { writePrivately } from "./private-file.ts";
import { resultsCsv, resultsTable } from "./results-formats.ts";
import { serveResults } from "./results-page.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface ResultsFlags extends ServiceFlags {
  project: string;
  survey?: string;
  since?: string;
  until?: string;
  by?: Grouping;
  compare?: string;
  measuredOnly?: boolean;
  csv?: boolean;
  html?: string;
  yes?: boolean;
  open?: boolean;
  port: number;
  comments: number;
  sessionUrl?: string;
}

/** @throws UsageError for a comparison that cannot be made */
function comparisonOf(compare: string, { since }: ResultsQuery): Comparison {
  if (compare === "previous") {
    if (since !== undefined) return { kind: "previous" };
    throw new UsageError(
      "--compare previous needs --since: the period before it is as long as the one since then.",
    );
  }
  const [from, to, ...rest] = compare.split(",");
  if (from && to && rest.length === 0) return { kind: "taskTypes", from, to };
  throw new UsageError(
    `--compare "${compare}" is neither "previous" nor two task types such as refund,invoice.`,
  );
}

function queryOf(flags: ResultsFlags, now: number): ResultsQuery {
  const since = flags.since === undefined ? undefined : momentOf(flags.since, "--since");
  const until = flags.until === undefined ? undefined : momentOf(flags.until, "--until");
  if (since !== undefined && since >= (until ?? now))
    throw new UsageError(
      `--since ${flags.since} must be before ${flags.until ? `--until ${flags.until}` : "now"}.`,
    );
  const query = { survey: flags.survey, since, until, by: flags.by, measuredOnly: flags.measuredOnly };
  if (flags.compare === undefined) return query;
  const compare = comparisonOf(flags.compare, query);
  return { ...query, until: compare.kind === "previous" ? (until ?? now) : until, compare };
}

/** @throws UsageError for an address that a comment's session does not fit into */
function checkTemplate(template: string | undefined): void {
  if (template === undefined || /^https?:\/\/.*\{sessionId\}/.test(template)) return;
  throw new UsageError(
    `--session-url "${template}" needs http:// or https:// and the placeholder {sessionId}, such as https://runs.example.com/{sessionId}.`,
  );
}

/** Reads the page, whose texts are what people wrote: each reading has an audit line. */
async function page(
  service: Service,
  flags: ResultsFlags,
  query: ResultsQuery,
  terminal: Terminal,
): Promise<string> {
  await service.directory.refresh();
  const project = findProject(service.directory, flags.project);
  const report = await readReport(service, project, { ...query, comments: flags.comments });
  const counts = { comments: report.comments.length };
  const isWholeProject = flags.survey === undefined;
  const read = { respondents: [], surveySlug: flags.survey, isWholeProject, counts };
  auditOf(terminal, "results")({ action: "read-texts", projectId: project.id, ...read });
  return reportPage(report, flags.sessionUrl);
}

/** Until the process is told to end. */
async function serve(
  service: Service,
  flags: ResultsFlags,
  query: ResultsQuery,
  terminal: Terminal,
): Promise<void> {
  findProject(service.directory, flags.project);
  const interruption = terminal.onInterrupt();
  const { url, close } = await serveResults(flags.port, () => page(service, flags, query, terminal));
  terminal.print(`Results of ${flags.project}: ${url}`);
  terminal.complain("Reload the page for the latest answers. Ctrl-C ends it.");
  if (!interruption.aborted)
    await new Promise((resolve) => interruption.addEventListener("abort", resolve, { once: true }));
  await close();
}

async function write(
  file: string,
  flags: ResultsFlags,
  query: ResultsQuery,
  terminal: Terminal,
): Promise<void> {
  await withService(flags, terminal, async (service) => {
    findProject(service.directory, flags.project);
    await checkOutput(file, flags, terminal);
    await writePrivately(file, async (append) => append(await page(service, flags, query, terminal)));
  });
  terminal.print(`Wrote the results of ${flags.project} to ${file}.`);
}

async function print(flags: ResultsFlags, query: ResultsQuery, terminal: Terminal): Promise<void> {
  const results = await withService(flags, terminal, (service) =>
    readResults(service, findProject(service.directory, flags.project), query),
  );
  if (flags.json) return terminal.print(JSON.stringify(results));
  if (flags.csv) return terminal.write(resultsCsv(results, flags.by));
  terminal.print(resultsTable(results));
}

const wholeNumber = (most: number) => (text: string) => {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number <= most) return number;
  throw new InvalidArgumentError(`It is not a whole number from 0 to ${most}.`);
};

/** `results`: what people said, as counts and scores with their intervals, and as a page with plots and comments. */
export function resultsCommand(terminal: Terminal): Command {
  return administrationCommand(
    "results",
    "Show responses, dismissals and scores with their 95 % intervals; with --html or --open as a page with plots",
    "results --project shop --since 2026-11-01 --by taskType",
  )
    .requiredOption("--project <id>", "id of the project")
    .option("--survey <survey>", "only this survey, by slug or id; also one that was deleted")
    .option("--since <date>", "from this date or time on, in UTC")
    .option("--until <date>", "through this date, or before this time, in UTC")
    .addOption(new Option("--by <group>", "group the responses").choices(groupings))
    .option(
      "--compare <what>",
      "previous (the period before --since), or two task types such as refund,invoice",
    )
    .option("--measured-only", "leave out imported responses")
    .addOption(new Option("--csv", "print the result as CSV").conflicts("json"))
    .option("--html <file>", "write a page with plots and comments that makes no requests")
    .option("--yes", "replace the file if it is there, without asking")
    .option("--open", "serve the same page live, on this machine alone, until Ctrl-C")
    .option("--port <port>", "port of --open; default: any that is free", wholeNumber(65_535), 0)
    .option("--comments <number>", "how many of the latest comments the page shows", wholeNumber(5000), 200)
    .option(
      "--session-url <template>",
      "link each comment to its run, such as https://runs.example.com/{sessionId}",
    )
    .action(async (flags: ResultsFlags) => {
      const query = queryOf(flags, terminal.clock.now());
      checkTemplate(flags.sessionUrl);
      if (flags.open)
        return withService(flags, terminal, (service) => serve(service, flags, query, terminal));
      return flags.html === undefined
        ? print(flags, query, terminal)
        : write(flags.html, flags, query, terminal);
    });
}
