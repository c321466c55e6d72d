import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { Context } from "../context/index.ts";
import type { AboutShown } from "../events/index.ts";
import type { Respondent } from "../identity/index.ts";
import { type Outbox, type AskToken, submissionOf } from "../outbox/index.ts";
import type { InstalledToken } from "../options/index.ts";
import { otherTabs } from "./other-tabs.ts";
import { parseJson, type Store } from "../page/index.ts";
import type { Settled, SubmitResult, SurveyAnswer, SurveyDraft, SurveyViewOptions } from "../survey/index.ts";

/** One survey to show to one person. */
export interface Ask {
  survey: SurveyDefinition;
  respondent: Respondent;
  /** Absent in a preview. */
  definitions?: BootstrapReply;
  /** Preview or test mode: nothing is sent or stored. */
  isPractice: boolean;
  /** The session-bound token for an answer given now. */
  tokenNow(): InstalledToken | undefined;
}

/** Receives what a view reports. */
export interface OpenSurvey extends Pick<
  SurveyViewOptions,
  "draft" | "saveDraft" | "rated" | "submit" | "dismiss"
> {
  /** The survey as events name it. */
  about: AboutShown;
  /** Whether the person has interacted with it. */
  hasBegun(): boolean;
  /** Whether the person has answered or dismissed it; only thanks may still be shown. */
  isOver(): boolean;
  /** Call when a new task begins: tokens installed later are about another run, which the person has not seen yet. */
  keepToken(): void;
  /** Ends it without an act of the person; sends a chosen rating if `mayStillSend`. */
  leave(mayStillSend: boolean): void;
  /** Keeps a chosen rating for the next page, with its text. Returns it if it would be lost with this page. */
  atRisk(): SurveyAnswer | undefined;
  /** Sends a chosen rating with its text, if there is one. */
  sendChosen(): void;
  /** Sends an answer on `pagehide`. */
  sendLast(answer: SurveyAnswer): void;
  /** Call when the view is gone. */
  closed(): void;
}

/** Sends a person's answer or dismissal; first remembers it here and closes the survey in other tabs. */
function createSender(
  context: Context,
  outbox: Outbox,
  ask: Ask,
  endedElsewhere: (isAnswered: boolean) => void,
) {
  const { identity, askedName } = context;
  const { survey, respondent, definitions, isPractice } = ask;
  // A user who has logged in since then was asked too.
  const namesOf = (run?: Partial<InstalledToken>) =>
    [respondent, identity.current()].map((person) => askedName(person, { ...run, surveyId: survey.id }));
  // A session-bound token stays; until there is one, it may still arrive.
  let kept: AskToken | undefined = ask.tokenNow();
  const name = namesOf(kept)[0]!;
  const tokenNow = (): AskToken =>
    kept ?? ask.tokenNow() ?? { surveyId: survey.id, token: definitions!.showTokens![survey.id]! };
  // Includes the run, if any, because the next run may be asked about again.
  const names = () => namesOf(tokenNow());
  let isTried: boolean | undefined;
  const entryOf = (answer?: SurveyAnswer) => ({
    ...submissionOf(respondent, tokenNow(), context.isPrivate(), answer),
    isTried,
  });
  const tabs = isPractice ? undefined : otherTabs(context, names, endedElsewhere);
  return {
    name,
    run: { sessionId: kept?.sessionId, observationId: kept?.observationId },
    close: () => tabs?.close(),
    keepToken: () => void (kept = isPractice ? undefined : tokenNow()),
    send(answer?: SurveyAnswer, settled?: Settled): Promise<SubmitResult> {
      if (isPractice) return Promise.resolve("stored");
      // Read the token before the run is remembered as asked, which would hide it.
      const entry = entryOf(answer);
      for (const asked of new Set([...names(), ...namesOf()])) {
        outbox.remember(asked);
        tabs?.tell(asked, !!answer);
      }
      return outbox.add(entry, name, { settled });
    },
    /** Keeps an answer for the next page. Returns whether it could. */
    hold: (answer: SurveyAnswer) => isPractice || outbox.hold(entryOf(answer), name),
    isHeld: () => outbox.isHeld(name),
    sendLast(answer: SurveyAnswer) {
      outbox.sendLast(entryOf(answer));
      isTried = true;
    },
    withdraw: () => outbox.withdraw(name),
  };
}

/** Sends an answer and deletes its draft. */
async function sendAnswer(
  { drafts, emit }: Pick<Context, "drafts" | "emit">,
  sender: ReturnType<typeof createSender>,
  about: AboutShown,
  answer: SurveyAnswer,
  settled: Settled,
): Promise<SubmitResult> {
  drafts.forget(sender.name);
  const result = await sender.send(answer, settled);
  if (result === "stored" || result === "queued")
    emit("submitted", { ...about, rating: answer.rating, result });
  return result;
}

/** What the person has chosen or written and not sent. It starts with the words from before a reload. */
function createChoice(drafts: Store, sender: ReturnType<typeof createSender>, isPractice: boolean) {
  const draft = (!isPractice && parseJson<SurveyDraft>(drafts.read(sender.name))) || {};
  let chosen = draft;
  let hasBegun = false;
  return {
    draft,
    hasBegun: () => hasBegun,
    /** What would be sent now; `undefined` without a rating. */
    answer: () => (chosen.rating === undefined ? undefined : (chosen as SurveyAnswer)),
    change(next: SurveyDraft) {
      hasBegun = true;
      chosen = { ...next, rating: next.rating ?? chosen.rating };
      // With a rating it is an answer, which the next page sends.
      if (chosen.rating !== undefined) sender.hold(chosen as SurveyAnswer);
      else if (!isPractice) drafts.write(sender.name, JSON.stringify(chosen));
    },
    choose(rating: number) {
      this.change({ ...chosen, rating });
    },
  };
}

/** Opens a survey for a person. It sends an answer or a dismissal, never both (decision D7). */
export function openSurvey(
  context: Context,
  outbox: Outbox,
  ask: Ask,
  endedElsewhere: () => void,
): OpenSurvey {
  const { drafts, emit } = context;
  const { survey, isPractice } = ask;
  const sender = createSender(context, outbox, ask, (isAnswered) => {
    if (outcome) return;
    // The survey was closed without an answer in the other tab only.
    if (!isAnswered) opened.leave(true);
    endedElsewhere();
  });
  const choice = createChoice(drafts, sender, isPractice);
  const about = { surveyId: survey.id, slug: survey.slug, ...sender.run };
  let outcome: Promise<SubmitResult> | undefined;
  /** The view's callback, also if the page sent the answer first. */
  let onSettled: Settled | undefined;

  const opened: OpenSurvey = {
    about,
    draft: choice.draft,
    saveDraft: (draft) => void (outcome ?? choice.change(draft)),
    rated(rating) {
      if (!outcome) choice.choose(rating);
      emit("rated", { ...about, rating });
    },
    submit(answer, settled) {
      onSettled ??= settled;
      return (outcome ??= sendAnswer(context, sender, about, answer, (late) => onSettled?.(late)));
    },
    dismiss() {
      if (outcome || choice.answer()) return opened.leave(true);
      drafts.forget(sender.name);
      outcome = sender.send();
      emit("dismissed", about);
    },
    hasBegun: choice.hasBegun,
    isOver: () => !!outcome,
    keepToken: sender.keepToken,
    leave(mayStillSend) {
      const answer = choice.answer();
      if (mayStillSend) return void (answer && opened.submit({ rating: answer.rating }));
      drafts.forget(sender.name);
      if (!outcome && answer) sender.withdraw();
    },
    atRisk() {
      const answer = outcome ? undefined : choice.answer();
      // Holding it anew would replace a newer one from another tab.
      return answer && (sender.isHeld() || sender.hold(answer) ? undefined : answer);
    },
    sendChosen: () => void (choice.answer() && opened.submit(choice.answer()!)),
    closed() {
      // Never sent, so the survey may come again.
      if (!outcome && choice.answer() && sender.withdraw()) context.store.forget(sender.name);
      // Later calls by a page with its own UI have no effect.
      outcome ??= Promise.resolve("refused");
      sender.close();
    },
    sendLast: sender.sendLast,
  };
  return opened;
}
