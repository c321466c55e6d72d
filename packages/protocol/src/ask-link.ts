/** What a link to the ask page says, each by its name in the link's fragment. Without zod, so that a browser may import it. */
export interface AskLink {
  surveyId: string;
  token: string;
  sessionId: string;
  observationId?: string | undefined;
  /** Who asks. The page quotes it as the link's own words. */
  name?: string | undefined;
  /** What it is about, such as a report. The page quotes it as the sender's words. */
  about?: string | undefined;
  /** BCP 47 tag. */
  language?: string | undefined;
  theme?: "light" | "dark" | undefined;
}

const identifier = (most: number) => new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${most}}$`, "u");

/**
 * What each field may be; lengths are code points (contract section 2). Name and subject have no `/`, `:` or `@`, no
 * quotation mark and no line break, so that they do not pass for an address or for words of the page.
 */
export const askLinkFields: Readonly<Record<keyof AskLink, RegExp>> = {
  surveyId: identifier(64),
  token: /^[\w.~+/=-]{1,4096}$/,
  sessionId: identifier(256),
  observationId: identifier(256),
  name: /^[\p{L}\p{M}\p{N} .,&'’()+-]{1,60}$/u,
  about: /^[\p{L}\p{M}\p{N} .,&'’()+-]{1,120}$/u,
  language: /^[a-z]{2,3}([-_][a-z0-9]{1,8})*$/i,
  theme: /^(light|dark)$/,
};

/** The fields that a link cannot do without. */
export const requiredAskLinkFields = ["surveyId", "token", "sessionId"] as const;

/** Signs behind the link that a mail program took for a part of it. Links end in `&`, so that no value loses its own end. */
const appended = /([^\w%+*&=-]|%22|%3E){1,20}$/;

/** Reads a fragment with or without its `#`; `undefined` without a complete run. Any other invalid field is left out. */
export function readAskLink(fragment: string): AskLink | undefined {
  const given = new URLSearchParams(fragment.replace(/^#/, "").replace(appended, ""));
  const valid = Object.entries(askLinkFields).filter(([name, form]) => form.test(given.get(name) ?? ""));
  const link = Object.fromEntries(valid.map(([name]) => [name, given.get(name)!])) as Partial<AskLink>;
  // Without its observation a token would be refused.
  const isWhole = [...requiredAskLinkFields, given.has("observationId") && "observationId"] as const;
  return isWhole.every((name) => !name || link[name]) ? (link as AskLink) : undefined;
}
