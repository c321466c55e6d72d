import type { BootstrapReply, PostPath, SurveyDefinition, SurveyWords } from "@afterword/protocol";

/** How the host page wants the widget to look and speak. All of it is optional and passed on unchanged. */
export interface SurveyAppearance {
  /** Default `auto`: the `color-scheme` that the page declares when the survey opens, or else the person's system. */
  theme?: "auto" | "light" | "dark";
  /** Default `comfortable`. */
  density?: "comfortable" | "compact";
  /** Which edge a banner keeps to. Default `top`. */
  banner?: "top" | "bottom";
  /** BCP 47 tag. Default: the `lang` of the page, then of the browser, then English. */
  language?: string;
  /** Own words; those that are left out stay as they are. */
  texts?: Partial<SurveyTexts>;
  /** Default: the direction of the language. */
  direction?: "ltr" | "rtl";
  /** Address of a privacy notice; no link without it. Only http and https are linked. */
  privacyLink?: string;
  /**
   * When "may we contact you" is offered. Default `low`: with the follow-up question of a rating in the lower
   * part of its scale.
   */
  askFollowUp?: "never" | "low" | "always";
}

/** What the person has begun and not sent. */
export interface SurveyDraft {
  /** On the scale of the survey's type. */
  rating?: number;
  /** At most 10,000 code points. */
  text?: string;
  followUpRequested?: boolean;
}

/** A finished answer. */
export interface SurveyAnswer extends SurveyDraft {
  rating: number;
}

/**
 * What became of an answer: `stored` by the service (say thanks), `queued` on this device until the service has
 * taken it (say so, not thanks), `already` answered in another way, so that the earlier answer stands, or `refused`
 * for good.
 */
export type SubmitResult = "stored" | "queued" | "already" | "refused";

/** Hears what became of an answer that was `queued`, after each retry of this page. */
export type Settled = (result: SubmitResult) => void;

/** Fetches the words of a language by its tag. */
export type LoadWords = (language: string) => Promise<{ texts: SurveyTexts; thumbs: ThumbsTexts }>;

/** An open survey: its state, and what the person does. Nothing of it throws, and no promise rejects. */
export interface SurveyActions {
  survey: SurveyDefinition;
  /** The ratings to offer, ascending; 1 and 5, down and up, of a survey of thumbs. */
  ratings: readonly number[];
  /** The words from before a reload, if no rating was chosen; start from them. */
  draft: SurveyDraft;
  /** Whether the person opened it, so that focus may move into it, and only when it appears. */
  openedByPerson: boolean;
  /** Call it at each choice of a rating, also of another one; sends nothing yet. */
  rate(rating: number): void;
  /**
   * Saves the unfinished answer; call it at each change of rating, text or box, before anything is sent. The next page sends
   * it, if it has a rating.
   */
  saveDraft(draft: SurveyDraft): void;
  /**
   * Sends the answer, once; later calls get the promise of the first. `stored`: say thanks. `queued`: not sent yet, will be
   * retried; `settled` gets the outcome. `already`: an earlier answer stands. `refused`: it cannot be stored.
   */
  submit(answer: SurveyAnswer, settled?: Settled): Promise<SubmitResult>;
  /** Closes the survey: sends a chosen rating, without the text; otherwise the dismissal. After `submit` nothing more is sent. */
  dismiss(): void;
  /** Call it when the page removes the survey: sends a chosen rating; otherwise the survey may come again. */
  leave(): void;
}

/**
 * One survey put before one person: what a view draws from and reports to. The rules on what is sent stand behind these
 * calls, such as never a dismissal once an answer has begun, so a view calls them as things happen. After `dismiss` the view
 * goes away by itself and calls `closed`; after `leave` it is closed.
 */
export interface SurveyViewOptions extends SurveyAppearance, SurveyActions {
  /** In the person's language, for a rating. Absent where the survey is shown in the words of its definition. */
  words?: (rating?: number) => SurveyWords;
  /** The element of the page that an inline survey fills. */
  slot?: HTMLElement;
  /** The person can see the survey. */
  shown(): void;
  /** The service, which may want to know that the survey was seen. Absent where nothing is sent. */
  service?: {
    definitions?: Partial<BootstrapReply>;
    /** The session-bound token, if there is one. */
    tokenNow(): { token: string } | undefined;
    post(path: PostPath, body: object, keepalive?: boolean): Promise<unknown>;
  };
  /** The view is gone from the page, for whatever reason, exactly once; the next survey may come. */
  closed(): void;
  /** Given where the widget's files are served as they are. */
  loadWords?: LoadWords;
  /** Anything unexpected; a view never throws into the host page. */
  reportError(error: unknown): void;
}

/** A drawn survey. */
export interface SurveyView {
  /** Takes the view away now, without sending anything, and calls `closed`. A second call does nothing. */
  close(): void;
  /** Sends what the person has chosen as if they had pressed the button, because the page may end. */
  send?(): void;
}

/** Draws a survey. Exported as `showSurvey` by `src/ui/index.ts`, which is loaded only when one is to be shown. */
export type ShowSurvey = (options: SurveyViewOptions) => SurveyView;

/** The fixed words of the widget, in one language. The survey's own words come from its definition. */
export interface SurveyTexts {
  /** Accessible name of the widget, for example "Feedback". */
  region: string;
  /** Name of the button that closes without answering. */
  close: string;
  /** Button that sends rating and text. */
  send: string;
  /** Button that sends the rating without an answer to the follow-up question. */
  skip: string;
  /** Said while the answer is on its way. */
  sending: string;
  /** Label of the box that asks to be contacted. */
  followUpRequest: string;
  /** Said once the answer is stored. */
  stored: string;
  /** Said when the answer could not be sent yet and will be retried. */
  queued: string;
  /** Said when the service has another answer already, which stands. */
  already: string;
  /** Said when the service refused the answer for good. */
  refused: string;
  /** Said at the first press of the close button or Escape, when closing would lose the text. */
  unsent: string;
  /** The link to the privacy notice. */
  privacy: string;
  /** The badge. */
  badge: string;
  /** The ends of 0 to 10, how likely the person is to recommend it, where the survey names none. */
  nps: readonly [low: string, high: string];
  /** The five ratings, from very dissatisfied to very satisfied. */
  csat: readonly [string, string, string, string, string];
  /** Both answers of a survey of thumbs. */
  thumbs: readonly [down: string, up: string];
  /** The ends of 1 to 7, how easy it was, where the survey names none. */
  ces: readonly [low: string, high: string];
  /** The three choices, from not to very disappointed. */
  pmf: readonly [string, string, string];
}

/** What only the thumbs say. */
export interface ThumbsTexts {
  /** Name of the button for a good answer. */
  up: string;
  /** Name of the button for a bad answer. */
  down: string;
  /** Name of the line that opens with the second one. */
  why: string;
  /** Name of the field in that line. */
  details: string;
  /** Button that takes a vote back before it is sent. */
  undo: string;
  /** At most four texts that the person can put into the line by a press. */
  reasons: readonly string[];
}

/** The texts of the thumbs, with those that they share with the survey. */
export type AllThumbsTexts = ThumbsTexts &
  Pick<SurveyTexts, "send" | "stored" | "queued" | "already" | "refused">;
