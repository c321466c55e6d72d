import type { HandedOverRun, SurveyType } from "@afterword/protocol";
import type { Settled, SubmitResult, SurveyAppearance } from "./survey.ts";

/**
 * What may be kept on the person's device, and when the service may be asked.
 *
 * - `not-asked` (default): the service is asked, nothing is kept on the device until `consent(true)`.
 * - `required`: nothing is sent and nothing is kept until `consent(true)`.
 * - `granted`: the host page has the person's consent already.
 */
export type ConsentMode = "not-asked" | "required" | "granted";

/** Options of `createAfterword`. As attributes of the script tag: `data-key`, `data-base-url`, `data-test` and so on. */
export interface AfterwordOptions extends SurveyAppearance {
  /** The project's publishable key. */
  key: string;
  /** URL of the service, with its path if any; a trailing slash is ignored. */
  baseUrl: string;
  /** Default `not-asked`. Pass it on each page load: the host page remembers the person's choice. */
  consent?: ConsentMode;
  /** An unguessable id of this conversation, the only identity of anonymous people if given; as in `identify`. Default: none. */
  conversationId?: string | number | bigint;
  /** Asks only with an installed session-bound token, so that every answer is linked. Default false. */
  linkedOnly?: boolean;
  /**
   * The person does not want to be asked, as stored with their account: only surveys that they open are shown.
   * Default false.
   */
  muted?: boolean;
  /** `ask` shows any survey at once and any number of times; nothing is sent or remembered. Default false. */
  testMode?: boolean;
  /** Logs to the console, in one line each, why a survey is not shown. Default false. */
  debug?: boolean;
}

/** A session-bound show-token that the customer's server minted, with what it attests. */
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

/** The run of a rating: what `install` takes, or how to get its token once the person has rated. */
export interface RatedRun extends Omit<InstalledToken, "token"> {
  token?: string;
  /** Asks the customer's server to mint if there is no `token`. `on("error")` reports what it throws, or 15 seconds of silence. */
  getToken?: () => string | Promise<string>;
}

/**
 * A run as the customer's server hands it over (`createMintHandler`), with the tokens of one survey or of several.
 * Without `surveyId`, the only survey is rated, or the only one of the rating's `type`; if that leaves none or several,
 * `on("error")` names them and nothing is rated.
 */
export interface RunWithTokens extends HandedOverRun {
  surveyId?: string;
}

/** Which thumb was pressed: `up` is a rating of 5, `down` a rating of 1. */
export type Vote = "up" | "down";

/** What the page knows of the vote on one run, for all that show it. */
export interface VoteState {
  vote?: Vote;
  /** The rating that it is, also one that is neither 5 nor 1. */
  rating?: number;
  /** The text in the field beside a bad answer. */
  text: string;
  /** The reasons that were chosen; they are sent with the vote, before the text. */
  chosen: readonly string[];
  /**
   * The survey's suggested reasons for a bad answer, set within half a second of it and fixed from then on. Empty if
   * the survey suggests none or has not loaded yet.
   */
  reasons?: readonly string[];
  /**
   * `open`: no vote. `held`: it can still be changed or withdrawn. `sending` and then `stored` or `queued`: fixed.
   * `already`: fixed too, because an earlier vote stands. `refused`: not accepted; the person may try again. `earlier`:
   * given as `value`, or known from the service, without `vote` if that does not say which. `expired`: the service takes
   * the token no longer, so without `getToken` there is nothing to show.
   */
  stage: "open" | "held" | "sending" | "earlier" | "expired" | SubmitResult;
  /** Whether the vote can no longer be changed. */
  isFixed: boolean;
  /** Whether the line beside a bad answer is open. If time sends the vote, it stays until `leave` is called. */
  isLineOpen: boolean;
  /** When a held vote will be sent, on the clock of `now`; `Infinity` while the person is busy with it, or another tab. */
  heldUntil?: number;
}

/** The vote on one run, which everything in the page that shows it shares. */
export interface RunVote {
  /** The same object until it changes. */
  getState(): VoteState;
  /** Calls back at each change; returns a function that unsubscribes. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  change(next: Partial<VoteState>): void;
  /** The attempt of a control of this page, which is withdrawn by aborting it. */
  attempt?: AbortController;
  /** Withdraws what is held, also by another tab. Set once something shows the vote. */
  takeBack?(): void;
}

/** How a rating is sent. */
export interface RateOptions {
  /**
   * How long it waits in the outbox before it is sent, in milliseconds; until then another rating of the same run takes
   * its place. It is sent at once when the page is hidden or left. Default 0, at most 24 days.
   */
  delayInMs?: number;
  /** Aborting withdraws the rating while it waits; the result is then `refused`, without an error. */
  signal?: AbortSignal;
  /** Withdraws it with an error if the service says that the survey is of another type. Default: any. */
  type?: SurveyType;
  /**
   * Receives the reasons that the survey suggests for this rating, in the reader's language; only with `type`. An empty
   * list if there are none or if they take longer than half a second; then it may be called again.
   */
  suggest?: (reasons: readonly string[]) => void;
  /** BCP 47 tag of these reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
  /**
   * Sends nothing: only prepares, so that a later rating of this run is not lost even if the page is left right after
   * it. Called with the run's vote once consent is there, what sends ratings has loaded, and the run's survey is known.
   */
  ready?: (vote: RunVote) => void;
  /** Called with the outcome of a `queued` rating after each retry on this page. */
  settled?: Settled;
}

/** Options of `ask`. With a `token` the survey is about that run alone, and needs `surveyId` and `sessionId`. */
export interface AskOptions extends Partial<InstalledToken> {
  /** With a `slot`: the tokens of the run by survey, in place of `surveyId` and `token`. */
  tokens?: HandedOverRun["tokens"];
  /** The person opened it, for example with a button: focus moves into the survey. Default false. */
  openedByPerson?: boolean;
  /** For an inline survey: the element it fills. Default: the element of the page that names the survey's slug. */
  slot?: HTMLElement;
}
