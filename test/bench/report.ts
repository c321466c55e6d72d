import { type CommandRun } from "./command-run.ts";
import { type EarlierRunsFigures, type RunTableFigures } from "./earlier-runs-scenarios.ts";
import { type FactsFigures } from "./facts-scenarios.ts";
import { type LoadResult } from "./load.ts";
import { type LoopFigures } from "./loops.ts";
import { type Comparison } from "./measure.ts";
import { type SubmitComparison } from "./http-scenarios.ts";
import { type ResultsFigures } from "./results-scenarios.ts";
import { type ExportFigures, type QueueFigures } from "./scale-scenarios.ts";
import { type TelemetryCost } from "./telemetry-scenarios.ts";

const ratio = (one: number, other: number) => (one / other).toFixed(2);
const whole = (value: number) => value.toFixed(0);

const row = (...cells: string[]) => `| ${cells.join(" | ")} |`;

/** Rates, p99 and processor time beside the echo's, as a table. */
export function httpTable(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ name, measured, echo, byRounds }) =>
    row(
      name,
      `${whole(measured.requestsPerSecond)}/s`,
      `${whole(echo.requestsPerSecond)}/s`,
      ratio(measured.requestsPerSecond, echo.requestsPerSecond),
      byRounds.toFixed(2),
      `${measured.p99.toFixed(1)} ms`,
      `${ratio(measured.p99, echo.p99)}x`,
      `${whole(measured.cpuMicroseconds)} µs`,
      ratio(echo.cpuMicroseconds, measured.cpuMicroseconds),
    ),
  );
  const head = row(
    "path",
    "rate",
    "echo",
    "of the echo",
    "by rounds",
    "p99",
    "p99 to echo's",
    "processor",
    "echo's to it",
  );
  return [head, row(...Array.from({ length: 9 }, () => "---")), ...rows].join("\n");
}

export function submitLine({ besideCommits }: SubmitComparison): string {
  const { measured, singleCommit, bareCommit } = besideCommits;
  const against = (other: LoadResult) =>
    `${ratio(measured.requestsPerSecond, other.requestsPerSecond)} times as fast as`;
  return (
    `Submit is ${against(singleCommit)} the same with one commit per request (${whole(singleCommit.requestsPerSecond)}/s), ` +
    `${against(bareCommit)} a server that only commits one row per request (${whole(bareCommit.requestsPerSecond)}/s).`
  );
}

/** Whole loops at the rate of a billion a month and as fast as they go, with the targets. */
export function loopLines({ paced, saturated }: Record<"paced" | "saturated", LoopFigures>): string {
  const core = (one: LoopFigures) =>
    `the server used ${one.server.toFixed(2)} of the core and the forwarder ${one.forwarder.toFixed(2)}`;
  const inAll = (paced.server + paced.forwarder).toFixed(2);
  return [
    `Whole loops at ${whole(paced.perSecond)}/s: ${core(paced)}, ${inAll} in all (aim 0.70).`,
    `Click to sink: p50 ${whole(paced.p50)} ms, p99 ${whole(paced.p99)} ms (aim 2,000 ms).`,
    `Saturated: ${whole(saturated.perSecond)} loops/s (aim 900); ${core(saturated)}.`,
  ].join("\n");
}

/** The results of both databases, as a table. */
export function resultsTable(all: readonly ResultsFigures[]): string {
  const run = ({ seconds, megabytes }: CommandRun) => `${seconds.toFixed(1)} s, ${whole(megabytes)} MB`;
  const rows = all.map(({ database, answers, recent, summary, page, submits }) =>
    row(
      `${database}, ${answers} answers`,
      run(recent),
      run(summary),
      run(page),
      `${submits.aloneP99.toFixed(1)} ms`,
      `${submits.besideP99.toFixed(1)} ms`,
      `${submits.ratio.toFixed(2)}x`,
    ),
  );
  const head = row(
    "results of",
    "last 90 days",
    "all",
    "page of all",
    "p99 of submits alone",
    "beside results",
    "by rounds",
  );
  return [head, row(...Array.from({ length: 7 }, () => "---")), ...rows].join("\n");
}

export function queueLines(small: QueueFigures, large: QueueFigures): string {
  const line = (what: string, of: (figures: QueueFigures) => number) =>
    `${what}: ${of(small).toFixed(2)} ms at ${small.rows} pending rows, ${of(large).toFixed(2)} ms at ${large.rows}, ${ratio(of(large), of(small))}x.`;
  return [
    line("A page of 100, p50", (one) => one.pageInMs),
    line("Acknowledging 200, p50", (one) => one.ackInMs),
  ].join("\n");
}

export function exportLine(figures: ExportFigures): string {
  const { rows, startInMs, emptyStartInMs, exportInSeconds, largestResidentMegabytes, megabytesOfReply } =
    figures;
  return (
    `${rows} responses: ready ${whole(startInMs)} ms after the program was launched (${whole(emptyStartInMs)} ms with an empty database), exported (${whole(megabytesOfReply)} MB) in ` +
    `${exportInSeconds.toFixed(1)} s with at most ${whole(largestResidentMegabytes)} MB resident; ` +
    `${whole(figures.databaseBytesPerResponse)} bytes of database per response.`
  );
}

/** Rates of people with earlier runs beside those of people without, and the aim. */
export function earlierRunsTable(figures: EarlierRunsFigures): string {
  const rows = figures.map(({ name, runs, best }) => {
    const without = figures.find((one) => one.name === name && one.runs === 0)!.best;
    const rate = `${whole(best.requestsPerSecond)}/s`;
    const processor = `${whole(best.cpuMicroseconds)} µs`;
    const compared = ratio(best.requestsPerSecond, without.requestsPerSecond);
    return row(name, String(runs), rate, compared, `${best.p50.toFixed(2)} ms`, processor);
  });
  const head = row("path", "earlier runs of the person", "rate", "to none (aim 0.90)", "p50", "processor");
  return [head, row(...Array.from({ length: 6 }, () => "---")), ...rows].join("\n");
}

export function runTableLine([few, many]: readonly RunTableFigures[]): string {
  const times = ratio(many!.mintP50, few!.mintP50);
  return (
    `Mint, p50: ${few!.mintP50.toFixed(2)} ms beside ${few!.rows} rated runs, ${many!.mintP50.toFixed(2)} ms beside ` +
    `${many!.rows}, ${times}x (aim 1.3x).`
  );
}

/** A mint with facts and sampling beside one without, by processor time and by rate, and the aim. */
export function factsLine({ without, withFacts }: FactsFigures): string {
  const cost = ({ requestsPerSecond, cpuMicroseconds }: LoadResult) =>
    `${whole(requestsPerSecond)}/s, ${cpuMicroseconds.toFixed(1)} µs`;
  const times = ratio(withFacts.cpuMicroseconds, without.cpuMicroseconds);
  return `Mint: ${cost(without)}; with facts and sampling ${cost(withFacts)}: ${times}x the processor time (aim 1.05x).`;
}

/** Processor time and rate of submits with spans and metrics beside those without, and the server's own part. */
export function telemetryTable(costs: readonly TelemetryCost[]): string {
  const none = costs[0]!.cpuMicroseconds;
  const percent = (microseconds: number) => `${((microseconds / none) * 100).toFixed(1)} %`;
  const rows = costs.map(({ name, cpuMicroseconds, ownMicroseconds, rateByRounds }) =>
    row(
      name,
      `${cpuMicroseconds.toFixed(1)} µs`,
      percent(cpuMicroseconds - none),
      ownMicroseconds === undefined ? "" : percent(ownMicroseconds),
      rateByRounds.toFixed(3),
    ),
  );
  const head = row("submit with", "processor", "more", "the server's own part (aim 3 %)", "rate, by rounds");
  return [head, row(...Array.from({ length: 5 }, () => "---")), ...rows].join("\n");
}
