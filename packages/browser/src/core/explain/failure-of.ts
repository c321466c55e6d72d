import type { NotShownReason } from "../events/index.ts";
import { type Reply, retryAfterInMs } from "../service/index.ts";
import { isAllowed, privateHostOf } from "./private-network.ts";
import { reportReply, type ReplyContext } from "./report-reply.ts";

/** What a failed bootstrap means for the page. */
export interface Failure {
  /** Why no survey shows. */
  reason: NotShownReason;
  /** How long no survey that is asked for may ask the service, in milliseconds. */
  waitInMs: number;
  /** In how many milliseconds the page asks once more by itself; 0 if it does not. */
  repeatInMs: number;
}

const longestWaitInMs = 300_000;
/** Limits of rates are per minute. */
const waitWithoutTimeInMs = 60_000;

async function reasonOf(
  status: number,
  { page, blocked, options: { baseUrl } }: ReplyContext,
): Promise<NotShownReason> {
  if (status === 429) return "rate-limited";
  if (!status && !blocked && privateHostOf(page, baseUrl) && !(await isAllowed(page)))
    return "private-network";
  return status >= 500 ? "unavailable" : "unreachable";
}

/**
 * Reports a failed bootstrap and says what follows from it. A busy service is asked once more, at random up to 20 % later
 * than it says, because all pages of an office may wait for the same moment.
 */
export async function failureOf(
  context: ReplyContext,
  path: string,
  reply: Reply,
  isRepeat: boolean,
): Promise<Failure> {
  const { page } = context;
  const { status } = reply;
  reportReply(context, path, reply);
  const isLimited = status === 429;
  const waitInMs = retryAfterInMs(reply, page) || (isLimited ? waitWithoutTimeInMs : 0);
  const mayRepeat = !isRepeat && waitInMs && waitInMs <= longestWaitInMs && (isLimited || status === 503);
  const repeatInMs = mayRepeat ? Math.max(waitInMs, 1000) * (1 + page.Math.random() / 5) : 0;
  return { reason: await reasonOf(status, context), waitInMs, repeatInMs };
}
