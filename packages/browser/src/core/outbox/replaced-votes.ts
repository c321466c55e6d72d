import type { AskingParts } from "../parts/index.ts";
import type { RateOptions } from "../options/index.ts";
import { parseJson } from "../page/index.ts";
import type { SubmitResult } from "../survey/index.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

/** Tells votes what becomes of the one that has replaced them. `changed` hears first of what another tab has changed. */
export function createReplacedVotes(
  { page, options, askedName, report }: AskingParts,
  changed: (run: string, name: string) => void,
) {
  /** By run, until the other vote has its outcome. */
  const replacedVotes = new Map<string, RateOptions[]>();
  const runOf = ({ heldAs, body }: OutboxEntry) => heldAs ?? askedName({ id: body.userId }, body);
  /** Without a rating, the other vote was withdrawn. */
  const tell = (run: string, rating?: number, result?: SubmitResult) => {
    const votes = replacedVotes.get(run) ?? [];
    if (result && result !== "queued") replacedVotes.delete(run);
    try {
      for (const { signal, replaced } of votes) if (!signal?.aborted) replaced?.(rating, result);
    } catch (error) {
      report(error);
    }
  };
  const tellOf = (entry: OutboxEntry) => tell(runOf(entry), entry.body.rating, entry.result);
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    const name = key?.split(`afterword:${options.key}:`)[1];
    const entry = name?.startsWith("outbox:") && parseJson<OutboxEntry>(newValue ?? oldValue ?? "");
    // Other code of the site may write there.
    if (!entry || !entry.body) return;
    changed(runOf(entry), name!);
    if (newValue) tellOf(entry);
    else if (entry.heldAs) tell(entry.heldAs);
  };
  page.addEventListener("storage", onStorage);
  return {
    tell,
    tellOf,
    has: (run: string) => replacedVotes.has(run),
    follow: (run: string, vote: RateOptions) =>
      replacedVotes.set(run, [...(replacedVotes.get(run) ?? []), vote]),
    stop: () => page.removeEventListener("storage", onStorage),
  };
}
