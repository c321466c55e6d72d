import type { AfterwordErrorCode } from "./afterword-error.ts";
import type { Page } from "./page.ts";
import type { Reporting } from "./reporting.ts";
import type { Reply } from "./request.ts";
import { retryAfterInMs } from "./retry-after.ts";

/** What a log may hold of the other side's words: a code or an id, never a sentence. */
const word = (value: unknown) => /^"([\w:.-]{1,99})"$/.exec(JSON.stringify(value))?.[1];

/**
 * Tells the host page of a reply that is not the one that was wanted, as an error that can be read in a log, and
 * the caller how long the service asks to wait. To a page, a refused origin looks like a dead network.
 */
export function tellReply(
  { page, report, AfterwordError }: Reporting & { page: Page },
  path: string,
  reply: Reply,
  hearWait?: (retryAfterInMs: number) => void,
) {
  const { status, body } = reply;
  hearWait?.(retryAfterInMs(reply, page));
  const isRefusal = body && status >= 400;
  const code = (word(body?.["code"]) ?? (isRefusal ? "refused" : "network")) as AfterwordErrorCode;
  const instance = word(body?.["instance"]);
  const what = !status
    ? "no reply: offline, or origin not allowed"
    : isRefusal
      ? status
      : `${status}, but not from the service`;
  const request = instance ? `, request ${instance}` : "";
  report(new AfterwordError(code, `POST ${path}: ${what} (${code}${request})`, status, instance));
}
