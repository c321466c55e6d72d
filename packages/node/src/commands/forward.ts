import type { Client } from "../client.ts";
import { createDeliveryLoop, type Forwarder } from "../delivery/create-delivery-loop.ts";
import { isInPartition } from "../delivery/partition.ts";
import { scoreValue } from "../delivery/score-value.ts";
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
  if (flags.dryRun) return dryRun({ client, sink, ...settings }, shell);
  const say = (message: string) => shell.writeError(`${message}\n`);
  const forwarder = createDeliveryLoop({
    client,
    sink,
    // What ends the program is told when it ends.
    logger: { debug: () => undefined, info: say, warn: say, error: () => undefined },
    clock: shell.clock,
    random: shell.random,
    publishableKey: shell.environment["AFTERWORD_PUBLISHABLE_KEY"] || file.publishableKey,
    ...settings,
  });
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
  const { deferred, unacknowledged } = await forwarder.runOnce({ signal: shell.interrupted });
  return deferred + unacknowledged > 0 ? exitCodes.tryAgain : exitCodes.done;
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
  {
    client,
    sink,
    partition,
    surveys,
    text,
  }: { client: Client; sink: Sink } & ReturnType<typeof forwardSettings>,
  shell: Shell,
): Promise<ExitCode> {
  const prepare = scoreValue({ surveys, text: text ?? sink.textByDefault });
  for await (const row of client.pendingScores({ signal: shell.interrupted })) {
    if (!partition || isInPartition(row.id, partition)) await writeJson(shell, await prepare(row));
  }
  return exitCodes.done;
}

function writeSummary(forwarder: Forwarder, { json }: ForwardFlags, shell: Shell): void {
  const { delivered, failed, retried } = forwarder.health();
  if (json) writeJson(shell, { delivered, failed, retried });
  else shell.writeOut(`delivered ${delivered}, failed ${failed}, retried ${retried}\n`);
}
