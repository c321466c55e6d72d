import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";

/** What came back. */
export interface Reply {
  /** HTTP status; 0 when there was no reply, which leaves open what the service did. */
  status: number;
  /** The body if it was a JSON object; anything else comes from something in between, such as a proxy. */
  body?: Record<string, unknown>;
  /** How long the service asks to wait, in milliseconds; 0 when it does not, negative for a date in its past. */
  retryAfterInMs: number;
}

/** Sends a body to a path of the service, if wanted by a request that outlives the page. Never rejects. */
export type Post = (path: string, body: object, keepalive?: boolean) => Promise<Reply>;

const longestWaitInMs = 15_000;
const longestRetryAfterInMs = 24 * 3_600_000;

const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 429;
const json = { "content-type": "application/json" };

/**
 * Seconds, or a date, which counts from the reply's own `Date`, for the person's clock may be wrong. Where the page may
 * not read that, a minute (decision O79). An answer is kept for seven days, so a day is the most (decision O51).
 */
function retryAfterInMsOf({ headers }: Response, { Date }: Page): number {
  const wait = headers.get("retry-after");
  const untilDateInMs = () => Date.parse(wait!) - Date.parse(headers.get("date")!);
  return wait ? Math.min(+wait * 1000 || untilDateInMs() || 60_000, longestRetryAfterInMs) : 0;
}

export function createPost(page: Page, { baseUrl, key }: AfterwordOptions): Post {
  let understood: typeof json | undefined;
  let isPlainUnderstood = false;

  // A plain-text body needs no preflight (decision D48): one request instead of two. A service that reads only JSON
  // refuses it, and hides that refusal from the page if it carries no CORS headers (decision O46).
  return async function post(path, content, keepalive, headers = understood): Promise<Reply> {
    const result: Reply = { status: 0, retryAfterInMs: 0 };
    try {
      const reply = await page.fetch(baseUrl.replace(/\/$/, "") + path, {
        method: "POST",
        body: JSON.stringify({ key, ...content }),
        headers,
        keepalive,
        signal: page.AbortSignal.timeout(longestWaitInMs),
      });
      const parsed: unknown = await reply.json().catch(() => 0);
      if (parsed instanceof Object && !Array.isArray(parsed)) result.body = parsed as Reply["body"];
      result.retryAfterInMs = retryAfterInMsOf(reply, page);
      result.status = reply.status;
    } catch {
      // No reply, whatever the reason.
    }
    const { status, body } = result;
    if (body && status < 300) {
      if (headers) understood = headers;
      else isPlainUnderstood = true;
    } else if (!headers && !isPlainUnderstood && (!status || isRefusal(status))) {
      return post(path, content, keepalive, json);
    }
    return result;
  };
}
