import type { SurveyDefinition, Traits } from "@afterword/protocol";
import type { AfterwordEventName, AfterwordListener } from "./events.ts";
import type { Respondent } from "./identity.ts";
import type { AskOptions, InstalledToken, RatedRun, RateOptions } from "./options.ts";
import type { SubmitResult, SurveyAnswer } from "./survey-view.ts";

/* * The commands for the host page. The script tag's `afterword(command, …)` uses the same names. No command throws or
 * blocks: errors go to `on("error")`, and nothing is shown.
 */
export interface Afterword {
  /**
   * Who is in front of the page, so that a server can mint for an anonymous device or conversation too: `id` is the
   * respondent id, `kind` how well the person is known. Changes with `identify`, `reset` and `consent`. `undefined` on
   * a server and before the script has loaded.
   */
  respondent(): Pick<Respondent, "id" | "kind"> | undefined;
  /** The person is known: `userId` is the respondent id that the customer's server mints for. At most 1,024 code points. */
  identify(userId: string, traits?: Traits): void;
  /**
   * Hands over a session-bound token. It wins over the unbound one, also while its survey is shown but not sent. Of several
   * for one survey the newest that was not answered is shown first (decision O107).
   */
  install(token: InstalledToken): void;
  /** A task has begun: nothing is shown until it is resolved. Tokens of the task before are dropped. */
  task(): void;
  /** The task's outcome is confirmed: now is the time to ask. */
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
   * rejects: the reason of `refused` is told to `on("error")`. `undefined` on a server and before the script has loaded.
   */
  rate(run: RatedRun, answer: SurveyAnswer, options?: RateOptions): Promise<SubmitResult> | undefined;
  /**
   * The person does not want to be asked on this device, or without consent on this page: for a duration such as `90d`
   * (a whole number with s, m, h or d) or `forever`. A newer call replaces an older one. What is shown stays, and so does
   * everything that the person opens or rates themselves. Told as `muted`.
   */
  mute(duration: string): void;
  /** Takes away what is shown or about to be. A rating that was chosen is sent; otherwise the survey may come again. */
  close(): void;
  /** What the person decided about keeping data on the device; withdrawing deletes what is kept there. */
  consent(granted: boolean): void;
  /** Forgets the user after a logout: the next one is new. */
  reset(): void;
  /** Listens to an event; returns how to stop. */
  on<Name extends AfterwordEventName>(event: Name, listener: AfterwordListener<Name>): () => void;
  /** Ends it for good: nothing is shown, listened to or retried any more. */
  destroy(): void;
}
