import type { Context } from "../context/index.ts";
import type { Respondent, RatedRun, RunVote, VoteState } from "../public/index.ts";
import type { Outbox, OutboxEntry } from "../outbox/index.ts";
import { parseJson } from "../page/index.ts";
import type { TokenCheck } from "@afterword/protocol";

export const emptyLine = { text: "", chosen: [] as readonly string[], isLineOpen: false };

/** Creates the vote on one run. */
export function createVote(): RunVote {
  const listeners = new Set<() => void>();
  let state: VoteState = { ...emptyLine, stage: "open", isFixed: false };
  return {
    getState: () => state,
    change(next) {
      state = { ...state, ...next };
      const { rating, stage } = state;
      state.isFixed = !/open|held|refused|expired/.test(stage);
      state.vote = rating === 5 ? "up" : rating === 1 ? "down" : undefined;
      state.isLineOpen &&= rating === 1;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * The votes on runs that this page knows. They hear what becomes of each rating of the current person in the outbox, also
 * of those of other tabs.
 */
export function createRunVotes({ page, options, report, identity, over }: Context, outbox: Outbox) {
  const votes = new Map<string, RunVote>();
  let person: Respondent | undefined;
  /** The vote on a run; none that another person gave. */
  const voteOn = ({ surveyId, sessionId, observationId }: Partial<RatedRun>): RunVote => {
    const now = identity.current();
    if (now.id !== person?.id) {
      // A person who logs in is the same as before.
      if (person?.kind === "identified" || now.kind !== "identified") votes.clear();
      person = now;
      outbox.entries().forEach((entry) => tell(entry));
    }
    const name = JSON.stringify([surveyId, sessionId, observationId]);
    const vote = votes.get(name) ?? createVote();
    votes.set(name, vote);
    return vote;
  };
  const tell = ({ body, state }: OutboxEntry, isElsewhere?: boolean, isWithdrawn?: boolean) => {
    const vote = voteOn(body);
    const { stage } = vote.getState();
    const isHeld = isWithdrawn ?? state === "held";
    // Nothing of a dismissal, of another person, of what a control of this page holds, and of a retry.
    if (body.rating === undefined || body.userId !== person!.id) return;
    if (!isElsewhere && vote.attempt && isHeld ? stage === "held" : state === "sending" && stage === "queued")
      return;
    if (isHeld) vote.attempt = undefined;
    const line = isHeld ? emptyLine : {};
    const rating = isWithdrawn || /already|refused/.test(state) ? undefined : body.rating;
    try {
      vote.change({ ...line, rating, stage: isWithdrawn ? "open" : state, heldUntil: Infinity });
    } catch (error) {
      report(error);
    }
  };
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    const name = key?.split(`afterword:${options.key}:`)[1];
    const entry = name?.startsWith("outbox:") && parseJson<OutboxEntry>(newValue ?? oldValue ?? "");
    // Other code of the site may write there.
    if (!entry || !entry.body) return;
    outbox.changeElsewhere(entry.asked, name!, !!voteOn(entry.body).takeBack);
    if (newValue ?? entry.state === "held") tell(entry, true, !newValue || undefined);
  };
  page.addEventListener("storage", onStorage, over);
  return { voteOn, tell };
}

/** Tokens of things that appear within this time are checked by one request. */
const gatheredForInMs = 50;
const mostTokens = 100; // Of one request (contract section 4.10).

/**
 * Returns a function that gives a vote what the service says of its token, for which each token is sent once. What the
 * person does before the reply counts, and without a reply the vote stays open.
 */
export function createTokenChecks({ page, post }: Pick<Context, "page" | "post">) {
  const checks = new Map<string, Promise<TokenCheck | undefined>>();
  /** A run with one good token stays open, whatever became of its others. */
  const fresh = new WeakSet<RunVote>();
  let batch: string[] = [];
  let replies = Promise.resolve<TokenCheck[]>([]);
  async function replyFor(showTokens: string[]): Promise<TokenCheck[]> {
    await new Promise((gathered) => page.setTimeout(gathered, gatheredForInMs));
    if (batch === showTokens) batch = [];
    const { tokens } = (await post("/v1/sdk/tokens/check", { showTokens })).body ?? {};
    return Array.isArray(tokens) ? (tokens as TokenCheck[]) : [];
  }
  function check(token: string) {
    if (!batch[0] || batch.length === mostTokens) replies = replyFor((batch = []));
    const index = batch.push(token) - 1;
    return replies.then((tokens) => tokens[index]);
  }
  return async (token: string | undefined, vote: RunVote) => {
    const isOpen = () => /open|expired/.test(vote.getState().stage);
    if (!token || !isOpen()) return;
    if (!checks.has(token)) checks.set(token, check(token));
    const { state, answer } = (await checks.get(token)) ?? {};
    if (!state || !isOpen()) return;
    if (state === "fresh") fresh.add(vote);
    const stage = state === "used" ? "earlier" : fresh.has(vote) ? "open" : "expired";
    vote.change({ stage, rating: answer?.rating });
  };
}
