import type { AskLink } from "@afterword/protocol";
import { askLinkFields, requiredAskLinkFields } from "@afterword/protocol/ask-link";
import { ConfigurationError } from "../errors/afterword-error.ts";

/** What `askLink` takes: what the link holds, and the page that it opens. */
export interface AskLinkOptions extends AskLink {
  /**
   * Address of the ask page, the folder `ask` of `@afterword/browser` on your site: `https://`, or `http://` on this
   * machine.
   */
  page: string | URL;
}

const forms: Readonly<Record<keyof AskLink, string>> = {
  surveyId: "the id of a survey",
  token: "the token that was minted",
  sessionId: "the session that the token was minted for",
  observationId: "the observation that the token was minted for",
  name: "1 to 60 letters, digits, spaces and . , & ' ( ) + -",
  about: "1 to 120 letters, digits, spaces and . , & ' ( ) + -",
  language: "a language tag such as pt-BR",
  theme: "light or dark",
};

const isRequired = (name: string) => (requiredAskLinkFields as readonly string[]).includes(name);

/** A page over http can be changed on its way, and with it what it does with the token. */
function checkedPage(page: string | URL): URL {
  const url = URL.canParse(page) ? new URL(page) : undefined;
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) {
    if (!url.hash && !url.username && !url.password) return url;
  }
  throw new ConfigurationError(
    "askLink: page must be an https:// address without a fragment or a password, such as https://example.com/ask/.",
  );
}

/**
 * Makes a link, for an e-mail or a chat, that opens one survey about one run. All but `page` stands in its fragment, which
 * no browser sends to a server: opening or prefetching the link spends nothing, only sending an answer does. Anyone who
 * has the link can answer. Throws a `ConfigurationError` that names an invalid field, without its value.
 * @example
 * const run = { surveyId: "csat", token: "st2.…", sessionId: "run-2041" };
 * const link = askLink({ page: "https://example.com/ask/", ...run });
 */
export function askLink({ page, ...fields }: AskLinkOptions): string {
  const url = checkedPage(page);
  const fragment = new URLSearchParams();
  for (const [name, form] of Object.entries(askLinkFields) as [keyof AskLink, RegExp][]) {
    const value = fields[name] ?? (isRequired(name) ? "" : undefined);
    if (value === undefined) continue;
    if (!form.test(value)) throw new ConfigurationError(`askLink: ${name} must be ${forms[name]}.`);
    fragment.append(name, value);
  }
  // Ends the last value: mail programs take a full stop or a bracket that follows for a part of the link.
  url.hash = `${fragment}&`;
  return url.href;
}
