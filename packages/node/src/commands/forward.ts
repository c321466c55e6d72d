import { randomUUID } from "node:crypto";
import type { Client } from "../client/client.ts";
import type { Clock } from "../options/clock.ts";
import { createDeliveryLoop, type Forwarder } from "../delivery/delivery-loop.ts";
import type { ForwarderOptions } from "../delivery/forwarder-options.ts";
import type { RunSummary } from "../delivery/forwarder-state.ts";
import { scorePreparer } from "../scores/score-value.ts";
import type { Sink } from "../scores/sink.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import type { AdminAddress } from "./admin-listener.ts";
import { adminAddressOf, forwardSettings } from "./forward-settings.ts";
import { onceReport, unconfirmed } from "./once-report.ts";
import { liveLine, showProgress } from "./progress.ts";
import { connectionOf, createdTogether, makeClient, publishableKeyOf } from "./command-options.ts";
import type { Invocation } from "./command-options.ts";
import type { Flags } from "./flags.ts";
import { writeJson, type Shell } from "./shell.ts";
import { makeSink } from "./sink-choice.ts";
import { fanOut } from "../sinks/fan-out.ts";

/** `afterword forward`: delivers until it is stopped, or with `--once` until the queue is empty. */
export async function forward(call: Invocation): Promise<ExitCode> {
  const { flags, file, shell } = call;
  const out = flags.out ?? file.out;
  const names = [flags.sink ?? file.sink ?? "jsonl"].flat();
  const address = adminAddressOf(flags, file);
  const admin = address && (await loadAdmin(address));
  const watched = admin?.watch ?? ((sink: Sink) => sink);
  const [sink, client, settings] = createdTogether<[Sink, Client, ReturnType<typeof forwardSettings>]>([
    () => oneOf(createdTogether(names.map((name) => () => watched(makeSink(name, out, shell))))),
    () => makeClient(call),
    () => forwardSettings(flags, file),
  ]);
  const live = liveLine(shell);
  const { say } = live;
  const options = {
    client,
    sink,
    // Fatal errors are reported when the program ends.
    logger: { debug: () => undefined, info: say, warn: say, error: () => undefined },
    clock: shell.clock,
    random: shell.random,
    consumer: randomUUID(),
    publishableKey: publishableKeyOf(call),
    ...settings,
  };
  if (flags.dryRun) return dryRun(options, shell);
  const forwarder = createDeliveryLoop(options);
  await using listener = await admin?.listen(forwarder);
  if (listener) say(`health checks and metrics on ${listener.url}`);
  if (!flags.once) say(`forwarding scores from ${connectionOf(call).baseUrl} to ${sink.name}`);
  const progress = showProgress(forwarder, live, shell);
  let summary: RunSummary | undefined;
  try {
    summary = await run(forwarder, flags, shell);
  } finally {
    await forwarder.stop();
    progress.stop();
    // Stopping has acknowledged what it could.
    const { unacknowledged } = forwarder.health();
    summary &&= { ...summary, unacknowledged };
    writeCounts(forwarder, summary && { ...summary, problems: problemsOf(forwarder) }, flags, shell);
    if (summary === undefined && unacknowledged > 0)
      say(`${unconfirmed(unacknowledged)}: the next forwarder delivers them again`);
  }
  if (summary === undefined) return exitCodeOfStop(forwarder, shell);
  for (const line of onceReport(summary, problemsOf(forwarder))) say(line);
  return exitCodeOfRun(summary, shell);
}

const oneOf = (sinks: readonly Sink[]) => (sinks.length === 1 ? sinks[0]! : fanOut(sinks));

/** A graceful end is what SIGTERM asks for. Ctrl-C and a closed terminal interrupt. */
function exitCodeOfStop(forwarder: Forwarder, { stopSignal }: Shell): ExitCode {
  const signal = stopSignal?.() ?? "SIGTERM";
  if (signal !== "SIGTERM") return exitCodes.interrupted;
  return forwarder.health().unacknowledged > 0 ? exitCodes.tryAgain : exitCodes.done;
}

/** Health checks and metrics; loaded only when they are asked for. */
async function loadAdmin(address: AdminAddress) {
  const { ForwarderMetrics } = await import("./forwarder-metrics.ts");
  const { startAdminListener } = await import("./admin-listener.ts");
  const metrics = new ForwarderMetrics();
  return {
    watch: (sink: Sink) => metrics.watch(sink),
    listen(forwarder: Forwarder) {
      metrics.addHealth(() => forwarder.health());
      return startAdminListener(address, metrics, () => forwarder.health());
    },
  };
}

/** The last problem of each sink, by its name. */
function problemsOf(forwarder: Forwarder): Record<string, string> {
  const { sinks } = forwarder.health();
  return Object.fromEntries(
    sinks.flatMap(({ sink, lastProblem }) => (lastProblem ? [[sink, lastProblem]] : [])),
  );
}

/** Runs once, or until a signal, which shuts down gracefully within the drain time. */
async function run(
  forwarder: Forwarder,
  { once }: Flags,
  { interrupted }: Shell,
): Promise<RunSummary | undefined> {
  interrupted.addEventListener("abort", () => void forwarder.stop(), { once: true });
  if (once) return await forwarder.runOnce({ signal: interrupted });
  if (!interrupted.aborted) await forwarder.start();
  return undefined;
}

function exitCodeOfRun({ deferred, unacknowledged, isComplete }: RunSummary, shell: Shell): ExitCode {
  if (!isComplete && shell.interrupted.aborted) return exitCodes.interrupted;
  return isComplete && deferred + unacknowledged === 0 ? exitCodes.done : exitCodes.tryAgain;
}

/** Shows what would be pushed; pushes and acknowledges nothing. */
async function dryRun(options: ForwarderOptions & { clock: Clock }, shell: Shell): Promise<ExitCode> {
  const { client, includeFailed } = options;
  const prepare = scorePreparer(options, shell.interrupted);
  for await (const pending of client.pendingScores({ includeFailed, signal: shell.interrupted })) {
    const score = await prepare(pending);
    if (shell.interrupted.aborted) return exitCodes.interrupted;
    await writeJson(shell, score);
  }
  return exitCodes.done;
}

/** One line for people, or the whole summary as JSON for programs. */
function writeCounts(forwarder: Forwarder, run: object | undefined, { json }: Flags, shell: Shell): void {
  const { delivered, failed, retried } = forwarder.health();
  if (json) writeJson(shell, run ?? { delivered, failed, retried });
  else shell.writeOut(`delivered ${delivered}, failed ${failed}, retried ${retried}\n`);
}
