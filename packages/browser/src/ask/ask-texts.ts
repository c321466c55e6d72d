/** Texts that a link's page shows beside the survey. */
export interface AskTexts {
  /** The heading. */
  title: string;
  /** Quotes the name that the link gives, so that it cannot pass for words of this page. */
  sender: `${string}{name}${string}`;
  /** Quotes the subject in the same way. */
  about: `${string}{about}${string}`;
  loading: string;
  /** The token has been used. */
  spent: string;
  /** The token has expired, or the project no longer has this survey. */
  expired: string;
  offline: string;
  /** The link is incomplete, or the service refuses its token. */
  invalid: string;
  /** The person has closed the survey and sent nothing. */
  closed: string;
  /** They have closed it after their answer was stored. */
  done: string;
  /** They have closed it before that. */
  pending: string;
  /** A button label. */
  show: string;
  /** A button label; the page is loaded again. */
  tryAgain: string;
  /** Label of a text that was refused. */
  kept: string;
}
