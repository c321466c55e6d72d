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
