import type { AfterwordErrorCode, NotShownReason, Reporting, AfterwordOptions } from "../public/index.ts";
import { type Page, type Reply, retryAfterInMs } from "../page/index.ts";
import { isAllowed, privateHostOf } from "./private-network.ts";

/** What a log may hold of the other side's words: a code or an id, never a sentence. */
const word = (value: unknown) => /^"([\w:.-]{1,99})"$/.exec(JSON.stringify(value))?.[1];

/** What to do about a code. */
const advice: Partial<Record<AfterwordErrorCode, string>> = {
  invalid_key: ": check the key, and that it is a key of this service",
  missing_key: ": check the key",
  rate_limited: ": too many requests from this network address, see docs/reference/limits.md",
};

type ReplyContext = Reporting & { page: Page; options: Pick<AfterwordOptions, "baseUrl">; blocked?: string };

/** Why there was no reply, as far as a page can know. */
function silenceOf({ page, blocked = "", options: { baseUrl } }: ReplyContext, isBlocked?: boolean): string {
  if (isBlocked)
    return 'no reply: the origin of this page is "null"; a sandboxed frame needs allow-same-origin';
  const { origin } = new URL(baseUrl, page.document.baseURI);
  if (blocked.startsWith(origin))
    return `blocked by this page's content security policy: allow ${origin} in connect-src`;
  const host = privateHostOf(page, baseUrl);
  return host
    ? `no reply: ${host} is private, and this page is not; browsers ask people for permission, and only on https`
    : "no reply: offline, or origin not allowed";
}

/**
 * Tells the host page of a reply that is not the one that was wanted, as an error that can be read in a log. To a page, a
 * refused origin looks like a dead network.
 */
export function reportReply(context: ReplyContext, path: string, { status, body, isBlocked }: Reply) {
  const isRefusal = body && status >= 400;
  const code = (word(body?.["code"]) ?? (isRefusal ? "refused" : "network")) as AfterwordErrorCode;
  const instance = word(body?.["instance"]);
  const what = !status
    ? silenceOf(context, isBlocked)
    : isRefusal
      ? status
      : `${status}, but not from the service`;
  const request = instance ? `, request ${instance}` : "";
  const message = `POST ${path}: ${what} (${code}${request})${advice[code] ?? ""}`;
  context.report(context.errorOf(message, code, status, instance));
}

const longestWaitInMs = 300_000;
/** Limits of rates are per minute. */
const waitWithoutTimeInMs = 60_000;

async function reasonOf(status: number, context: ReplyContext): Promise<NotShownReason> {
  const { page, blocked, options } = context;
  if (status === 429) return "rate-limited";
  if (!status && !blocked && privateHostOf(page, options.baseUrl) && !(await isAllowed(page)))
    return "private-network";
  return status >= 500 ? "unavailable" : "unreachable";
}

/** What a failed bootstrap means for the page. */
export type Failure = Awaited<ReturnType<typeof failureOf>>;

/**
 * Reports a failed bootstrap and says what follows from it. A busy service is asked once more, at random up to 20 % later
 * than it says, because all pages of an office may wait for the same moment.
 */
export async function failureOf(context: ReplyContext, path: string, reply: Reply, isRepeat: boolean) {
  const { page } = context;
  const { status } = reply;
  reportReply(context, path, reply);
  const isLimited = status === 429;
  const waitInMs = retryAfterInMs(reply, page) || (isLimited ? waitWithoutTimeInMs : 0);
  const mayRepeat = !isRepeat && waitInMs && waitInMs <= longestWaitInMs && (isLimited || status === 503);
  const repeatInMs = mayRepeat ? Math.max(waitInMs, 1000) * (1 + page.Math.random() / 5) : 0;
  return {
    /** Why no survey shows. */
    reason: await reasonOf(status, context),
    /** How long no survey that is asked for may ask the service, in milliseconds. */
    waitInMs,
    /** In how many milliseconds the page asks once more by itself; 0 if it does not. */
    repeatInMs,
  };
}
