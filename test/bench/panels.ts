import type { Rates } from "./forwarder.ts";
import type { SubmitComparison } from "./http-scenarios.ts";
import type { ConfirmedScores } from "./langfuse.ts";
import type { LoadResult } from "./load.ts";
import type { LoopFigures } from "./loops.ts";
import type { Comparison } from "./measure.ts";
import type { CommandRun } from "./command-run.ts";
import type { ResultsFigures } from "./results-scenarios.ts";
import type { Bar, Panel } from "./saved-figures.ts";

// What of each section is saved and plotted.

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString("en")}/s`;
const echo = { name: "echo: hono on Node", value: 1, isPeer: true } as const;

export function httpPanels(comparisons: readonly Comparison[]): Panel[] {
  const bars = (of: (run: LoadResult) => number, note?: (run: LoadResult) => string): Bar[] =>
    comparisons.map(({ name, measured, echo }) => ({
      name,
      value: of(measured) / of(echo),
      ...(note && { note: note(measured) }),
    }));
  const rates = comparisons.map(({ echo }) => echo.requestsPerSecond);
  const ofEcho = `${Math.round(Math.min(...rates)).toLocaleString("en")} to ${perSecond(Math.max(...rates))}`;
  const rate = (run: LoadResult) => run.requestsPerSecond;
  return [
    {
      heading: "Requests per second, relative to the echo (aims 0.20, 0.20 and 0.25)",
      unit: "x",
      bars: [{ ...echo, note: ofEcho }, ...bars(rate, (run) => perSecond(rate(run)))],
    },
    {
      heading: "99th percentile, relative to the echo",
      unit: "x",
      bars: [echo, ...bars(({ p99 }) => p99)],
    },
  ];
}

export function submitPanels({ besideCommits }: SubmitComparison): Panel[] {
  const { measured, singleCommit, bareCommit } = besideCommits;
  const bar = (name: string, { requestsPerSecond }: LoadResult) => ({
    name,
    value: requestsPerSecond / singleCommit.requestsPerSecond,
    note: perSecond(requestsPerSecond),
  });
  return [
    {
      heading: "Rate, relative to one commit each (aim 3x)",
      unit: "x",
      bars: [
        bar("submits in batches", measured),
        { ...bar("one commit per request", singleCommit), isPeer: true },
        { ...bar("one row per commit, nothing else", bareCommit), isPeer: true },
      ],
    },
  ];
}

export function loopPanels({ paced, saturated }: Record<"paced" | "saturated", LoopFigures>): Panel[] {
  return [
    {
      heading: `Share of one core at ${perSecond(paced.perSecond)} (aim 0.7 in all)`,
      unit: "",
      bars: [
        { name: "server", value: paced.server },
        { name: "forwarder", value: paced.forwarder },
      ],
    },
    {
      heading: "From the click to the sink (aim 2,000 ms)",
      unit: " ms",
      bars: [
        { name: "median", value: paced.p50 },
        { name: "99th percentile", value: paced.p99 },
      ],
    },
    {
      heading: "Loops per second when saturated (aim 900)",
      unit: "/s",
      bars: [{ name: "server and forwarder on one core", value: saturated.perSecond }],
    },
  ];
}

export function resultsPanels(all: readonly ResultsFigures[]): Panel[] {
  const bars = (of: (run: CommandRun) => number) =>
    all.flatMap(({ database, recent, summary, page }) => [
      { name: `${database}, last 90 days`, value: of(recent) },
      { name: `${database}, all`, value: of(summary) },
      { name: `${database}, all, as a page`, value: of(page) },
    ]);
  const submits = all.flatMap(({ database, submits: { aloneP99, besideP99 } }) => [
    { name: `${database}, alone`, value: aloneP99, isPeer: true as const },
    { name: `${database}, beside results`, value: besideP99 },
  ]);
  return [
    {
      heading: "Time, slowest of three (aim for a million: 4 s)",
      unit: " s",
      bars: bars(({ seconds }) => seconds),
    },
    { heading: "Most memory (aim 300 MB)", unit: " MB", bars: bars(({ megabytes }) => megabytes) },
    { heading: "99th percentile of submits (aim 2x at most)", unit: " ms", bars: submits },
  ];
}

export function forwarderPanels({ slow, instant, memory }: Rates): Panel[] {
  return [
    {
      heading: "Sink that takes 50 ms, 16 at once (limit 320/s)",
      unit: "/s",
      bars: [
        { name: "forwarder", value: slow.forwarder.perSecond },
        { name: "plain loop", value: slow.page.perSecond, isPeer: true },
      ],
    },
    {
      heading: "Sink that answers at once",
      unit: "/s",
      bars: [
        { name: "forwarder", value: instant.forwarder.perSecond },
        { name: "plain loop, a page per ack", value: instant.page.perSecond, isPeer: true },
        { name: "plain loop, a score per ack", value: instant.each.perSecond, isPeer: true },
      ],
    },
    {
      heading: `Memory growth over ${memory.rows.toLocaleString("en")} scores (aim 30)`,
      unit: " MB",
      bars: memory.runs.map(([name, run]) => ({ name, value: run.grownInMegabytes })),
    },
  ];
}

export function langfusePanels({ ours, calls, lost, scores }: ConfirmedScores): Panel[] {
  const [own, call, queue] = lost;
  return [
    {
      heading: "Confirmed scores, 16 at once",
      unit: "/s",
      bars: [
        { name: "forwarder", value: ours },
        { name: "api.scores.create", value: calls, isPeer: true },
      ],
    },
    {
      heading: `Lost of ${scores.toLocaleString("en")} when one 207 in ten has an error`,
      unit: "",
      bars: [
        { name: "forwarder", value: own },
        { name: "api.scores.create", value: call, isPeer: true },
        { name: "the queue of the official client", value: queue, isPeer: true },
      ],
    },
  ];
}
