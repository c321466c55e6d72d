import type { IdentityKind, SurveyDefinition, Traits } from "@afterword/protocol";
import type { AfterwordEventName, AfterwordListener } from "./events.ts";
import type { AskOptions, InstalledToken, RatedRun, RateOptions, RunWithTokens } from "./options.ts";
import type { SubmitResult, SurveyAnswer } from "./survey.ts";

/** The current person, as far as known. */
export interface Respondent {
  id: string;
  kind: IdentityKind;
  /** For targeting; sent with requests unless the person's browser sends Global Privacy Control. */
  traits: Traits;
}

/**
 * The commands for the host page. The script tag's `afterword(command, …)` uses the same names. No command throws or
 * blocks: errors go to `on("error")`, and nothing is shown.
 */
export interface Afterword {
  /**
   * The current person, so that a server can mint for an anonymous device or conversation too: `id` is the respondent id,
   * `kind` how well the person is known. Changes with `identify`, `reset` and `consent`. `undefined` on a server and
   * before the script has loaded.
   */
  respondent(): Pick<Respondent, "id" | "kind"> | undefined;
  /** Identifies the person by the respondent id that your server mints for, at most 1,024 code points. A number becomes text. */
  identify(userId: string | number | bigint, traits?: Traits): void;
  /**
   * Hands over a session-bound token. It wins over the unbound one, also while its survey is shown but not sent. Of several
   * for one survey the newest that was not answered is shown first.
   */
  install(token: InstalledToken): void;
  /** Starts a task: nothing is shown until it is resolved. Drops tokens of the previous task. */
  task(): void;
  /** Confirms the task's outcome, which is the time to ask. */
  resolve(): void;
  /**
   * Asks for one survey by its slug. During a task it waits for `resolve`. Over the page one survey is shown at a time; with a
   * `slot` there may be any number, each with a token of its own.
   */
  ask(slug: string, options?: AskOptions): void;
  /** Shows a survey from its definition; nothing is sent or remembered. */
  preview(definition: SurveyDefinition, options?: AskOptions): void;
  /**
   * Sends one rating of one run, without a widget; any number at a time. Resolves once the first try is over and never
   * rejects: `on("error")` reports why a rating was `refused`. `undefined` on a server and before the script has loaded.
   */
  rate(
    run: RatedRun | RunWithTokens,
    answer: SurveyAnswer,
    options?: RateOptions,
  ): Promise<SubmitResult> | undefined;
  /**
   * Stops asking on this device, or without consent on this page, for a duration such as `90d` (a whole number with s, m,
   * h or d) or `forever`. The newest call wins. An open survey stays, and the person can still open surveys and rate on
   * their own. Emits `muted`.
   */
  mute(duration: string): void;
  /** Closes what is shown or about to be. A chosen rating is sent; without one the survey may be asked again. */
  close(): void;
  /** Sets whether data may be kept on the device; withdrawing consent deletes it. */
  consent(granted: boolean): void;
  /** Forgets the user after a logout; the next person is a new one. */
  reset(): void;
  /** Listens to an event. Returns a function that removes the listener. */
  on<Name extends AfterwordEventName>(event: Name, listener: AfterwordListener<Name>): () => void;
  /** Shuts Afterword down for good: nothing shows, listens or retries any more. The next client of this key starts anew. */
  destroy(): void;
}
