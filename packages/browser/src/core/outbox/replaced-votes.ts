import type { Context } from "../context/index.ts";
import type { RateOptions } from "../options/index.ts";
import { parseJson } from "../page/index.ts";
import type { EntryState, OutboxEntry } from "./outbox-entry.ts";

/** Tells votes what becomes of the one that has replaced them. `changed` hears first of what another tab has changed. */
export function createReplacedVotes(
  { page, options, report }: Context,
  changed: (asked: string, name: string) => void,
) {
  /** By what they are remembered as, until the other vote has its outcome. */
  const replacedVotes = new Map<string, RateOptions[]>();
  /** Without a rating, the other vote was withdrawn. */
  const tell = (asked: string, rating?: number, state?: EntryState) => {
    const votes = replacedVotes.get(asked) ?? [];
    const result = state === "held" || state === "sending" ? undefined : state;
    if (result && result !== "queued") replacedVotes.delete(asked);
    try {
      for (const { signal, replaced } of votes) if (!signal?.aborted) replaced?.(rating, result);
    } catch (error) {
      report(error);
    }
  };
  const tellOf = ({ asked, body, state }: OutboxEntry) => tell(asked, body.rating, state);
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    const name = key?.split(`afterword:${options.key}:`)[1];
    const entry = name?.startsWith("outbox:") && parseJson<OutboxEntry>(newValue ?? oldValue ?? "");
    // Other code of the site may write there.
    if (!entry || !entry.body) return;
    changed(entry.asked, name!);
    if (newValue) tellOf(entry);
    else if (entry.state === "held") tell(entry.asked);
  };
  page.addEventListener("storage", onStorage);
  return {
    tell,
    tellOf,
    has: (asked: string) => replacedVotes.has(asked),
    follow: (asked: string, vote: RateOptions) =>
      replacedVotes.set(asked, [...(replacedVotes.get(asked) ?? []), vote]),
    stop: () => page.removeEventListener("storage", onStorage),
  };
}
