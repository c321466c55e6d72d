import type { Client } from "../client.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ErasureIncompleteError } from "../errors/erasure-incomplete-error.ts";
import type { EraseRespondent, EraseSelector } from "../privacy/erase-selector.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { selectorsOf, type SelectorFlags } from "./export-rows.ts";
import { makeClient, readConfigFile } from "./settings.ts";
import { typedLine, writeJson, type Shell } from "./shell.ts";
import { makeSink } from "./sink-choice.ts";

export interface EraseFlags extends SelectorFlags {
  account?: boolean;
  sink?: string[];
  out?: string;
  scoreName?: string;
  dryRun?: boolean;
  yes?: boolean;
}

/** `afterword erase`: a person's responses (with `--sink` also their scores there), a survey's, or everything. */
export async function erase(flags: EraseFlags, shell: Shell): Promise<ExitCode> {
  const file = await readConfigFile(flags.config, shell);
  const client = makeClient(flags, file, shell);
  const selector = { ...selectorsOf(flags), ...(flags.account ? { account: true } : {}) } as EraseSelector;
  const sinks = (flags.sink ?? []).map((name) => makeSink(name, { out: flags.out ?? file.out }, shell));
  if (sinks.length > 0 && flags.respondent === undefined && flags.email === undefined) {
    throw new ConfigurationError("erase with --sink needs --respondent or --email.");
  }
  if (flags.dryRun) return showCount(client, flags, shell);
  await confirm(flags, shell);
  const options = { signal: shell.interrupted };
  const scoreName = flags.scoreName ?? file.scoreName;
  const everywhere = { sinks, surveys: file.surveys, scoreName, ...options };
  try {
    const report =
      sinks.length > 0
        ? await client.privacy.eraseEverywhere(selector as EraseRespondent, everywhere)
        : await client.privacy.erase(selector, options);
    await writeJson(shell, report);
  } catch (error) {
    await writeWhatIsLeft(error, shell);
    throw error;
  } finally {
    await Promise.all(sinks.map((sink) => sink.close?.()));
  }
  return exitCodes.done;
}

/** The ids of scores that nobody could look up again. */
async function writeWhatIsLeft(error: unknown, shell: Shell): Promise<void> {
  if (!ErasureIncompleteError.isInstance(error) || !error.service) return;
  const { responseIds, sinks, service } = error;
  await writeJson(shell, { responseIds, sinks, service });
}

/** Counts what an export of the same selectors gives, which is what an erase would take away. */
async function showCount(client: Client, flags: EraseFlags, shell: Shell): Promise<ExitCode> {
  const selectors = selectorsOf(flags);
  if (Object.keys(selectors).length === 0 && !flags.account) {
    throw new ConfigurationError("erase needs --respondent, --email, --survey or --account.");
  }
  let count = 0;
  for await (const { id } of client.privacy.export(selectors, { signal: shell.interrupted })) {
    if (id !== undefined) count += 1;
  }
  if (flags.json) writeJson(shell, { dryRun: true, responses: count });
  else shell.writeOut(`would erase ${count} responses\n`);
  return exitCodes.done;
}

async function confirm({ yes }: EraseFlags, shell: Shell): Promise<void> {
  if (yes) return;
  if (!shell.isTerminal)
    throw new ConfigurationError("erase cannot be undone: add --yes, or look with --dry-run.");
  shell.writeError("This cannot be undone. Type erase to go on: ");
  if ((await typedLine(shell))?.trim() !== "erase") throw new ConfigurationError("Nothing was erased.");
}
