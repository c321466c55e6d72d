import type { ExportQuery } from "@afterword/protocol";
import * as z from "zod";
import type { Client } from "../client/client.ts";
import type { Sink } from "../scores/sink.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { ErasureIncompleteError } from "../privacy/erase-everywhere.ts";
import type { EraseEverywhereReport, NamedScores } from "../privacy/erase-everywhere.ts";
import type { EraseRespondent, EraseSelector } from "../privacy/privacy.ts";
import { createdTogether, durationInMs, makeClient, writeResult } from "./command-options.ts";
import type { Invocation } from "./command-options.ts";
import type { Flags } from "./flags.ts";
import { typedLine, writeJson, type Shell } from "./shell.ts";
import { makeSink } from "./sink-choice.ts";

/** Only the selectors that were given, since the client refuses a selector without a value. */
function selectorsOf({ respondent: respondentId, email, survey: surveySlug }: Flags): ExportQuery {
  const given = Object.entries({ respondentId, email, surveySlug }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

/** `afterword export`: streams stored responses, one JSON object per line. They hold personal data. */
export async function exportRows(call: Invocation): Promise<void> {
  const { flags, shell } = call;
  const rows = makeClient(call).privacy.export(selectorsOf(flags), { signal: shell.interrupted });
  for await (const row of rows) await writeJson(shell, row);
  shell.writeError(`exported ${rows.summary?.count} responses of ${rows.summary?.exportedAt}\n`);
}

/** `afterword erase`: a person's responses (with `--sink` also their scores there), a survey's, or everything. */
export async function erase(call: Invocation): Promise<void> {
  const { flags, file, shell } = call;
  const selector = { ...selectorsOf(flags), ...(flags.account && { account: true }) } as EraseSelector;
  const makers = (flags.sink ?? []).map((name) => () => makeSink(name, flags.out ?? file.out, shell));
  const [client, ...sinks] = createdTogether<[Client, ...Sink[]]>([() => makeClient(call), ...makers]);
  if (sinks.length > 0 && flags.respondent === undefined && flags.email === undefined)
    throw new ConfigurationError("erase with --sink needs --respondent or --email.");
  if (flags.dryRun) return showCount(client, call);
  const earlier = await earlierErasure(flags.again, shell);
  const forwarderHoldInMs = durationInMs(flags.forwarderHold);
  await confirm(flags, shell);
  const options = { signal: shell.interrupted };
  const names = { surveys: file.surveys, scoreName: flags.scoreName ?? file.scoreName };
  const onErased = (report: EraseEverywhereReport) => writeReport(report, shell);
  try {
    if (sinks.length === 0) await writeJson(shell, await client.privacy.erase(selector, options));
    else {
      const everywhere = { ...options, ...names, sinks, forwarderHoldInMs, earlier, onErased };
      await onErased(await client.privacy.eraseEverywhere(selector as EraseRespondent, everywhere));
    }
  } catch (error) {
    await writeWhatIsLeft(error, shell);
    throw error;
  } finally {
    await Promise.all(sinks.map((sink) => sink.close?.()));
  }
}

/** Writes the report for people and for `--again`: also before the wait, which may be interrupted. */
async function writeReport(report: EraseEverywhereReport, shell: Shell): Promise<void> {
  await writeJson(shell, report);
  if (report.uncertain) shell.writeError(`${report.uncertain}\n`);
  if (report.certainAt) shell.writeError("Waiting until then to delete them at the sinks again.\n");
}

/** Writes the scores, which cannot be looked up again. */
async function writeWhatIsLeft(error: unknown, shell: Shell): Promise<void> {
  if (!ErasureIncompleteError.isInstance(error) || error.retryable) return;
  const { responseIds, scores, sinks, service, certainAt } = error;
  await writeJson(shell, { responseIds, scores, sinks, service, certainAt });
}

const nullableText = z.string().nullable();
const namedScore = z.object({ id: z.string(), surveyId: nullableText, at: nullableText, name: nullableText });
const namedScores = z.object({ scores: z.array(namedScore), certainAt: z.iso.datetime().nullable() });

/** Reads the output of an earlier erasure; its last line counts. */
async function earlierErasure(path: string | undefined, shell: Shell): Promise<NamedScores | undefined> {
  if (path === undefined) return undefined;
  try {
    const lines = (await shell.readFile(path)).trim().split("\n");
    return namedScores.parse(JSON.parse(lines.at(-1)!));
  } catch (cause) {
    throw new ConfigurationError(`${path} is not the output of an earlier erase with --sink.`, { cause });
  }
}

/** Counts the responses that an erase with these selectors would delete. */
async function showCount(client: Client, call: Invocation): Promise<void> {
  const selectors = selectorsOf(call.flags);
  if (Object.keys(selectors).length === 0 && !call.flags.account)
    throw new ConfigurationError("erase needs --respondent, --email, --survey or --account.");
  let count = 0;
  for await (const { id } of client.privacy.export(selectors, { signal: call.shell.interrupted }))
    if (id !== undefined) count += 1;
  await writeResult(call, { dryRun: true, responses: count }, `would erase ${count} responses`);
}

async function confirm({ yes }: Flags, shell: Shell): Promise<void> {
  if (yes) return;
  if (!shell.isTerminal)
    throw new ConfigurationError("erase cannot be undone: add --yes, or try --dry-run first.");
  shell.writeError("This cannot be undone. Type erase to go on: ");
  if ((await typedLine(shell))?.trim() !== "erase") throw new ConfigurationError("Nothing was erased.");
}
