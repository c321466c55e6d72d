import { findProject } from "../domain/manage-projects.ts";
import { type Service } from "../domain/service.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Comparison } from "../results/changes.ts";
import { readReport, readResults, type ResultsQuery } from "../results/read-results.ts";
import { reportPage } from "../results/report-page.ts";
import { momentOf } from "../results/times.ts";
import { auditOf } from "./audit.ts";
import { checkOutput } from "./output-file.ts";
import { writePrivately } from "./private-file.ts";
import { type ResultsFlags } from "./results-command.ts";
import { resultsCsv, resultsTable } from "./results-formats.ts";
import { serveResults } from "./results-page.ts";
import { type Terminal } from "./terminal.ts";
import { withService } from "./with-service.ts";

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

interface Run {
  flags: ResultsFlags;
  query: ResultsQuery;
  terminal: Terminal;
}

/** Reads the page, whose texts are what people wrote: each reading has an audit line. */
async function page(service: Service, { flags, query, terminal }: Run): Promise<string> {
  await service.directory.refresh();
  const project = findProject(service.directory, flags.project);
  const report = await readReport(service, project, { ...query, comments: flags.comments });
  const counts = { comments: report.comments.length };
  const isWholeProject = flags.survey === undefined;
  const read = { respondents: [], surveySlug: flags.survey, isWholeProject, counts };
  await auditOf(terminal, flags, "results").reading({ action: "read-texts", projectId: project.id, ...read });
  return reportPage(report, flags.sessionUrl);
}

/** Until the process is told to end. */
async function serve(service: Service, run: Run): Promise<void> {
  const { flags, terminal } = run;
  findProject(service.directory, flags.project);
  const interruption = terminal.onInterrupt();
  const { url, close } = await serveResults(flags.port, () => page(service, run));
  terminal.print(`Results of ${flags.project}: ${url}`);
  terminal.complain("Reload the page for the latest answers. Ctrl-C ends it.");
  if (!interruption.aborted)
    await new Promise((resolve) => interruption.addEventListener("abort", resolve, { once: true }));
  await close();
}

async function write(file: string, service: Service, run: Run): Promise<void> {
  const { flags, terminal } = run;
  findProject(service.directory, flags.project);
  await checkOutput(file, flags, terminal);
  await writePrivately(file, async (append) => append(await page(service, run)));
  terminal.print(`Wrote the results of ${flags.project} to ${file}.`);
}

async function print(service: Service, { flags, query, terminal }: Run): Promise<void> {
  const results = await readResults(service, findProject(service.directory, flags.project), query);
  if (flags.json) return terminal.print(JSON.stringify(results));
  if (flags.csv) return terminal.write(resultsCsv(results, flags.by));
  terminal.print(resultsTable(results, terminal.clock.now()));
}

export async function runResults(flags: ResultsFlags, terminal: Terminal): Promise<void> {
  const run = { flags, query: queryOf(flags, terminal.clock.now()), terminal };
  checkTemplate(flags.sessionUrl);
  // Counting and drawing take seconds of a processor, during which submits must not wait.
  terminal.yieldProcessor();
  return withService(flags, terminal, (service) => {
    if (flags.open) return serve(service, run);
    return flags.html === undefined ? print(service, run) : write(flags.html, service, run);
  });
}
