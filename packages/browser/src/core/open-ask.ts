import type { BootstrapReply, PostPath, SurveyDefinition } from "@afterword/protocol";
import type { AskingParts } from "./asking-parts.ts";
import type { AboutShown } from "./events.ts";
import type { Respondent } from "./identity.ts";
import type { Outbox } from "./outbox.ts";
import type { InstalledToken } from "./options.ts";
import { type AskToken, outgoing, responses } from "./outgoing.ts";
import { parsed } from "./parsed.ts";
import type { Store } from "./store.ts";
import type { Settled, SubmitResult, SurveyAnswer, SurveyDraft, SurveyViewOptions } from "./survey-view.ts";

/** One survey to be put before one person. */
export interface Ask {
  survey: SurveyDefinition;
  respondent: Respondent;
  /** Absent in a preview. */
  definitions?: BootstrapReply;
  /** Preview or test mode: nothing is sent, marked or kept. */
  isPractice: boolean;
  /** The session-bound token that it would be answered with now. */
  tokenNow(): InstalledToken | undefined;
}

/** What a view reports to. */
export interface OpenAsk extends Pick<
  SurveyViewOptions,
  "draft" | "saveDraft" | "rated" | "submit" | "dismiss"
> {
  /** Which survey it is, as events name it. */
  about: AboutShown;
  /** Whether the person has done something with it. */
  hasBegun(): boolean;
  /** Whether the person has answered or dismissed it; what is still shown thanks them. */
  isOver(): boolean;
  /** A new task has begun: what is installed from now on is about another run (decision O42). */
  keepToken(): void;
  /** It ends by no wish of the person; a rating that was chosen is sent if `mayStillSend`. */
  leave(mayStillSend: boolean): void;
  /** The page goes away: a rating that was chosen is kept for the next page, or sent where nothing may be kept. */
  leavePage(): void;
  /** The view is gone. */
  closed(): void;
}

/** Tells the other tabs; it stores nothing. Browsers may deny it where they deny storage: then each tab is on its own. */
function openChannel({ page, options }: AskingParts): BroadcastChannel | undefined {
  try {
    return new page.BroadcastChannel(`afterword:${options.key}`);
  } catch {
    return undefined;
  }
}

/** Sends what one person says about one survey; before that it is remembered here and closed in the other tabs. */
function createSender(
  parts: AskingParts,
  outbox: Outbox,
  ask: Ask,
  endedElsewhere: (isAnswered: boolean) => void,
) {
  const { identity, askedName } = parts;
  const { survey, respondent, definitions, isPractice } = ask;
  // A user who logs in meanwhile has been asked, too.
  const namesOf = (run?: Partial<InstalledToken>) =>
    [respondent, identity.current()].map((person) => askedName(person, { ...run, surveyId: survey.id }));
  // Once it is bound to a session it stays so; until then a session-bound token may still arrive.
  let kept: AskToken | undefined = ask.tokenNow();
  const name = namesOf(kept)[0]!;
  const tokenNow = (): AskToken => kept ?? ask.tokenNow() ?? { token: definitions!.showTokens![survey.id]! };
  // Of this run, if there is one: the next run is another question.
  const names = () => namesOf(tokenNow());
  const entryOf = (path: PostPath, answer?: SurveyAnswer) =>
    outgoing(path, survey.id, respondent, tokenNow(), parts.isPrivate(), answer);
  // Open only while something is shown: it would keep the page out of the back-forward cache.
  const channel = isPractice ? undefined : openChannel(parts);
  channel?.addEventListener("message", ({ data }) => {
    const [asked, isAnswered] = data as [string, boolean];
    if (names().includes(asked)) endedElsewhere(isAnswered);
  });
  return {
    name,
    run: { sessionId: kept?.sessionId, observationId: kept?.observationId },
    close: () => channel?.close(),
    keepToken: () => void (kept = isPractice ? undefined : tokenNow()),
    send(path: PostPath, answer?: SurveyAnswer, settled?: Settled): Promise<SubmitResult> {
      if (isPractice) return Promise.resolve("stored");
      // Before the run counts as asked.
      const entry = entryOf(path, answer);
      if (answer) outbox.takeBack(name);
      for (const asked of new Set([...names(), ...namesOf()])) {
        outbox.remember(asked);
        channel?.["postMessage"]([asked, !!answer]);
      }
      return outbox.add(entry, { settled });
    },
    /** For the page after this one; sent at once where nothing can be kept, without waiting: a page that comes back never gets that reply. */
    leaveBehind(answer: SurveyAnswer) {
      if (isPractice) return;
      const entry = entryOf(responses, answer);
      if (!outbox.hold(entry, name)) void parts.post(entry.path, entry.body);
    },
  };
}

/** What was left unfinished before a reload; a rating that was held meanwhile is unfinished again. */
function restore(drafts: Store, outbox: Outbox, name: string): SurveyDraft {
  const draft = parsed<SurveyDraft>(drafts.read(name)) ?? {};
  if (draft.rating !== undefined) outbox.takeBack(name);
  return draft;
}

/** Sends an answer, which takes the place of its draft. */
async function sendAnswer(
  { drafts, emit }: AskingParts,
  sender: ReturnType<typeof createSender>,
  about: AboutShown,
  answer: SurveyAnswer,
  settled: Settled,
): Promise<SubmitResult> {
  drafts.forget(sender.name);
  const result = await sender.send(responses, answer, settled);
  if (result !== "refused") emit("submitted", { ...about, rating: answer.rating, result });
  return result;
}

/** Puts a survey before a person. Once an answer has begun no dismissal is sent, and the other way round (decision D7). */
export function openAsk(parts: AskingParts, outbox: Outbox, ask: Ask, endedElsewhere: () => void): OpenAsk {
  const { drafts, emit } = parts;
  const { survey, isPractice } = ask;
  const sender = createSender(parts, outbox, ask, (isAnswered) => {
    if (outcome) return;
    // Only the other tab was closed without an answer.
    if (!isAnswered && rating !== undefined) void opened.submit({ rating });
    endedElsewhere();
  });
  const about = { surveyId: survey.id, slug: survey.slug, ...sender.run };
  const draft = isPractice ? {} : restore(drafts, outbox, sender.name);
  let { rating } = draft;
  let hasBegun = false;
  let outcome: Promise<SubmitResult> | undefined;
  /** The view's, also if the page has sent the answer before it. */
  let hear: Settled | undefined;

  const opened: OpenAsk = {
    about,
    draft,
    saveDraft(draft) {
      hasBegun = true;
      rating = draft.rating ?? rating;
      if (!outcome && !isPractice) drafts.write(sender.name, JSON.stringify({ ...draft, rating }));
    },
    rated(chosen) {
      hasBegun = true;
      rating = chosen;
      emit("rated", { ...about, rating });
    },
    submit(answer, settled) {
      hear ??= settled;
      return (outcome ??= sendAnswer(parts, sender, about, answer, (late) => hear?.(late)));
    },
    dismiss() {
      if (outcome || rating !== undefined) return opened.leave(true);
      drafts.forget(sender.name);
      outcome = sender.send("/v1/dismissals");
      emit("dismissed", about);
    },
    hasBegun: () => hasBegun,
    isOver: () => !!outcome,
    keepToken: sender.keepToken,
    leave(mayStillSend) {
      if (!mayStillSend) drafts.forget(sender.name);
      else if (rating !== undefined) void opened.submit({ rating });
    },
    leavePage() {
      if (!outcome && rating !== undefined) sender.leaveBehind({ rating });
    },
    closed() {
      // Whatever a page of its own drawing still calls comes too late.
      outcome ??= Promise.resolve("refused");
      sender.close();
    },
  };
  return opened;
}
