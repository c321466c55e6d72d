import type { SurveyType } from "@afterword/protocol";
import type { Settled, SurveyAppearance } from "./survey-view.ts";

/**
 * What may be kept on the person's device, and when the service may be asked.
 *
 * - `not-asked` (default): the service is asked, nothing is kept on the device until `consent(true)`.
 * - `required`: nothing is sent and nothing is kept until `consent(true)`.
 * - `granted`: the host page has the person's consent already.
 */
export type ConsentMode = "not-asked" | "required" | "granted";

/** What `createAfterword` takes. As attributes of the script tag: `data-key`, `data-base-url`, `data-test` and so on. */
export interface AfterwordOptions extends SurveyAppearance {
  /** The project's publishable key. */
  key: string;
  /** Address of the service, with its path if it has one; a slash at the end is ignored. */
  baseUrl: string;
  /** Default `not-asked`. Given anew at each page load: the host page remembers what the person chose. */
  consent?: ConsentMode;
  /** An id of this conversation, hard to guess: anonymous people are known by it, and by nothing else. Default: none. */
  conversationId?: string;
  /** Ask only with a session-bound token that was installed, so that no answer is unlinked. Default false. */
  linkedOnly?: boolean;
  /**
   * The person does not want to be asked, as you remember it for their account: only what they open themselves is shown.
   * Default false.
   */
  muted?: boolean;
  /** `ask` shows any survey, at once and as often as wanted; nothing is sent or remembered. Default false. */
  testMode?: boolean;
  /** Writes to the console why a survey is not shown, in one line each. Default false. */
  debug?: boolean;
}

/** A session-bound show-token as the customer's server minted it, with what it attests. */
export interface InstalledToken {
  surveyId: string;
  token: string;
  /** 1 to 256 code points. */
  sessionId: string;
  /** 1 to 256 code points. */
  observationId?: string;
  /** Display metadata for segmentation; 1 to 128 code points. */
  taskType?: string;
}

/** What a rating is about: what `install` takes, or how to get its token once the person has rated. */
export interface RatedRun extends Omit<InstalledToken, "token"> {
  token?: string;
  /** Asks the customer's server to mint, if there is no `token`. What it throws is told to `on("error")`. */
  getToken?: () => string | Promise<string>;
}

/** How a rating is sent. */
export interface RateOptions {
  /**
   * How long it waits in the outbox before it is sent, in milliseconds; until then another rating of the same run takes
   * its place. It is sent at once when the page is left. Default 0.
   */
  delayInMs?: number;
  /** Aborting withdraws the rating while it waits; the result is then `refused`, without an error. */
  signal?: AbortSignal;
  /** Withdraws it with an error if the service says that the survey is of another type. Default: any. */
  type?: SurveyType;
  /**
   * Hears the reasons that the survey suggests for this rating, in the reader's language; with `type` only. An empty list if
   * there are none, or after half a second without them: then they may still come.
   */
  suggest?: (reasons: readonly string[]) => void;
  /** BCP 47 tag of these reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
  /** The wait is over: from now on it can neither be changed nor withdrawn. */
  sending?: () => void;
  /** Hears what became of a rating that was `queued`, after each retry of this page. */
  settled?: Settled;
}

/** How a survey is asked for. With a `token` it is about that run alone; `surveyId` and `sessionId` must go with it. */
export interface AskOptions extends Partial<InstalledToken> {
  /** The person asked for it, for example by a button: then focus moves into the survey. Default false. */
  openedByPerson?: boolean;
  /** For an inline survey: the element it fills. Default: the element of the page that names the survey's slug. */
  slot?: HTMLElement;
}
