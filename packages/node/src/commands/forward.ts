import { createDeliveryLoop, type Forwarder } from "../delivery/create-delivery-loop.ts";
import { isInPartition, type Partition } from "../delivery/partition.ts";
import { rowReader, type RowReaderOptions } from "../delivery/row-reader.ts";
import type { Sink } from "../delivery/sink.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { forwardSettings, type ForwardFlags } from "./forward-settings.ts";
import { showProgress } from "./progress.ts";
import { makeClient, readConfigFile, type ConfigFile } from "./settings.ts";
import { writeJson, type Shell } from "./shell.ts";
import { makeSinks } from "./sink-choice.ts";

/** `afterword forward`: delivers until it is told to stop, or with `--once` until the queue is empty. */
export async function forward(flags: ForwardFlags, shell: Shell): Promise<ExitCode> {
  const file = await readConfigFile(flags.config, shell);
  const sink = chosenSink(flags, file, shell);
  const client = makeClient(flags, file, shell);
  const settings = forwardSettings(flags, file);
  const say = (message: string) => shell.writeError(`${message}\n`);
  const options = {
    client,
    sink,
    // What ends the program is told when it ends.
    logger: { debug: () => undefined, info: say, warn: say, error: () => undefined },
    clock: shell.clock,
    random: shell.random,
    publishableKey: shell.environment["AFTERWORD_PUBLISHABLE_KEY"] || file.publishableKey,
    ...settings,
  };
  if (flags.dryRun) return dryRun(options, shell);
  const forwarder = createDeliveryLoop(options);
  const progress = showProgress(forwarder, shell);
  try {
    return flags.once ? await runOnce(forwarder, shell) : await runOn(forwarder, shell);
  } finally {
    await forwarder.stop();
    progress.stop();
    writeSummary(forwarder, flags, shell);
  }
}

function chosenSink(flags: ForwardFlags, file: ConfigFile, shell: Shell): Sink {
  const names = [flags.sink ?? file.sink ?? "jsonl"].flat();
  return makeSinks(names, { out: flags.out ?? file.out }, shell);
}

async function runOnce(forwarder: Forwarder, shell: Shell): Promise<ExitCode> {
  // The drain time also holds for a run that must end; behind it nothing is waited for.
  shell.interrupted.addEventListener("abort", () => void forwarder.stop(), { once: true });
  const { deferred, unacknowledged, isComplete } = await forwarder.runOnce({ signal: shell.interrupted });
  if (!isComplete && shell.interrupted.aborted) return exitCodes.interrupted;
  return isComplete && deferred + unacknowledged === 0 ? exitCodes.done : exitCodes.tryAgain;
}

/** Until SIGINT or SIGTERM: then what is under way is finished, within the drain time. */
async function runOn(forwarder: Forwarder, shell: Shell): Promise<ExitCode> {
  const stop = () => void forwarder.stop();
  shell.interrupted.addEventListener("abort", stop, { once: true });
  if (shell.interrupted.aborted) stop();
  else await forwarder.start();
  return exitCodes.done;
}

/** Shows what would be pushed, and neither pushes nor acknowledges anything. */
async function dryRun(
  options: RowReaderOptions & { partition?: Partition },
  shell: Shell,
): Promise<ExitCode> {
  const { client, partition } = options;
  const prepare = rowReader(options, shell.interrupted);
  for await (const row of client.pendingScores({ signal: shell.interrupted })) {
    if (partition && !isInPartition(row.id, partition)) continue;
    const score = await prepare(row);
    if (shell.interrupted.aborted) return exitCodes.interrupted;
    await writeJson(shell, score);
  }
  return exitCodes.done;
}

function writeSummary(forwarder: Forwarder, { json }: ForwardFlags, shell: Shell): void {
  const { delivered, failed, retried } = forwarder.health();
  if (json) writeJson(shell, { delivered, failed, retried });
  else shell.writeOut(`delivered ${delivered}, failed ${failed}, retried ${retried}\n`);
}
