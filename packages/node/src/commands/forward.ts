import { randomUUID } from "node:crypto";
import type { Client } from "../client/client.ts";
import type { Clock } from "../options/clock.ts";
import { DeliveryLoop, type Forwarder } from "../delivery/delivery-loop.ts";
import type { ForwarderOptions } from "../delivery/forwarder-options.ts";
import type { RunSummary } from "../delivery/forwarder-state.ts";
import { scorePreparer } from "../scores/score-value.ts";
import type { Sink } from "../scores/sink.ts";
import { fanOut } from "../sinks/fan-out.ts";
import { listenForOperators } from "./admin-listener.ts";
import {
  connectionOf,
  createdTogether,
  makeClient,
  publishableKeyOf,
  writeResult,
} from "./command-options.ts";
import type { Invocation } from "./command-options.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { adminAddressOf, forwardSettings } from "./forward-settings.ts";
import { onceReport, unconfirmed } from "./once-report.ts";
import { liveLine, showProgress } from "./progress.ts";
import { writeJson, type Shell } from "./shell.ts";
import { makeSink } from "./sink-choice.ts";

/** `afterword forward`: delivers until it is stopped, or with `--once` until the queue is empty. */
export async function forward(call: Invocation): Promise<ExitCode | void> {
  const { flags, file, shell } = call;
  const { interrupted } = shell;
  const address = adminAddressOf(flags, file);
  // Loads the library of metrics only when they are asked for.
  const metrics = address && new (await import("./forwarder-metrics.ts")).ForwarderMetrics();
  const [sink, client, settings] = createParts(call, (one) => metrics?.watch(one) ?? one);
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
  const forwarder = new DeliveryLoop(options);
  const health = () => forwarder.health();
  const listener = address && metrics && (await listenForOperators(address, metrics, health));
  if (listener) say(`health checks and metrics on ${listener.url}`);
  if (!flags.once) say(`forwarding scores from ${connectionOf(call).baseUrl} to ${sink.name}`);
  const ended = new AbortController();
  const progress = showProgress(forwarder, live, shell, ended.signal);
  let summary: RunSummary | undefined;
  try {
    // A signal shuts down gracefully, within the drain time.
    interrupted.addEventListener("abort", () => void forwarder.stop(), { once: true });
    if (flags.once) summary = await forwarder.runOnce({ signal: interrupted });
    else if (!interrupted.aborted) await forwarder.start();
  } finally {
    await forwarder.stop();
    ended.abort();
    await progress;
    // Stopping has acknowledged what it could.
    const { delivered, failed, retried, unacknowledged } = health();
    summary &&= { ...summary, unacknowledged };
    const counts = summary ? { ...summary, problems: problemsOf(forwarder) } : { delivered, failed, retried };
    void writeResult(call, counts, `delivered ${delivered}, failed ${failed}, retried ${retried}`);
    if (!summary && unacknowledged > 0)
      say(`${unconfirmed(unacknowledged)}: the next forwarder delivers them again`);
    await listener?.close();
  }
  if (!summary) return exitCodeOfStop(forwarder, shell);
  for (const line of onceReport(summary, problemsOf(forwarder))) say(line);
  const { deferred, isComplete, unacknowledged } = summary;
  if (!isComplete && interrupted.aborted) return exitCodes.interrupted;
  return isComplete && deferred + unacknowledged === 0 ? exitCodes.done : exitCodes.tryAgain;
}

/** Creates sink, client and settings, or throws one error with all faults. Several sinks are combined by `fanOut`. */
function createParts(call: Invocation, watched: (sink: Sink) => Sink) {
  const { flags, file, shell } = call;
  const names = [flags.sink ?? file.sink ?? "jsonl"].flat();
  const makers = names.map((name) => () => watched(makeSink(name, flags.out ?? file.out, shell)));
  const oneOf = (sinks: readonly Sink[]) => (sinks.length === 1 ? sinks[0]! : fanOut(sinks));
  return createdTogether<[Sink, Client, ReturnType<typeof forwardSettings>]>([
    () => oneOf(createdTogether(makers)),
    () => makeClient(call),
    () => forwardSettings(flags, file),
  ]);
}

/** A graceful end is what SIGTERM asks for. Ctrl-C and a closed terminal interrupt. */
function exitCodeOfStop(forwarder: Forwarder, { stopSignal }: Shell): ExitCode {
  const signal = stopSignal?.() ?? "SIGTERM";
  if (signal !== "SIGTERM") return exitCodes.interrupted;
  return forwarder.health().unacknowledged > 0 ? exitCodes.tryAgain : exitCodes.done;
}

/** The last problem of each sink, by its name. */
function problemsOf(forwarder: Forwarder): Record<string, string> {
  const { sinks } = forwarder.health();
  return Object.fromEntries(
    sinks.flatMap(({ sink, lastProblem }) => (lastProblem ? [[sink, lastProblem]] : [])),
  );
}

/** Shows what would be pushed; pushes and acknowledges nothing. */
async function dryRun(options: ForwarderOptions & { clock: Clock }, shell: Shell): Promise<ExitCode | void> {
  const { client, includeFailed } = options;
  const prepare = scorePreparer(options, shell.interrupted);
  for await (const pending of client.pendingScores({ includeFailed, signal: shell.interrupted })) {
    const score = await prepare(pending);
    if (shell.interrupted.aborted) return exitCodes.interrupted;
    await writeJson(shell, score);
  }
}
