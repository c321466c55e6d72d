import type { PostPath } from "@afterword/protocol";
import type { Page } from "./page.ts";
import { parseJson } from "./store.ts";

/** The reply of the service. */
export interface Reply {
  /** HTTP status; 0 without a reply, when it is unknown what the service did. */
  status: number;
  /** The body if it is a JSON object; anything else comes from a proxy or the like. */
  body?: Record<string, unknown>;
  headers?: Headers;
  /** Whether nothing ever came through in this page, whose origin is opaque, so that the service does not allow it. */
  isBlocked?: boolean;
  /** Whether an earlier attempt had no reply of the service. */
  isRepeated?: boolean;
}

/** Posts a body to a path of the service, optionally with `keepalive`. Never rejects. */
export type Post = (path: PostPath, body: object, keepalive?: boolean) => Promise<Reply>;

const longestWaitInMs = 15_000;

/** For 409 a service has read the body, and for 429 none would do. */
const isRefusal = (status: number) =>
  !status || (status >= 400 && status < 500 && ![409, 429].includes(status));
const json = { "content-type": "application/json" };

export function createPost(page: Page, { baseUrl, key }: { baseUrl: string; key: string }): Post {
  let understood: Record<string, string> | undefined;

  // A plain-text body needs no preflight: one request instead of two. A service that reads only JSON
  // refuses it, and hides that refusal from the page if it carries no CORS headers.
  return async function post(path, content, keepalive, headers = understood): Promise<Reply> {
    const result: Reply = { status: 0 };
    try {
      const reply = await page.fetch(baseUrl.replace(/\/$/, "") + path, {
        method: "POST",
        body: JSON.stringify({ key, ...content }),
        headers,
        keepalive,
        signal: page.AbortSignal.timeout(longestWaitInMs),
      });
      // Rejects if the body is cut off: the reply may have said more than its status.
      const parsed = parseJson<Reply["body"]>(await reply.text());
      // Excludes arrays.
      if (parsed?.constructor === Object) result.body = parsed;
      result.headers = reply.headers;
      result.status = reply.status;
    } catch {
      // No reply, for any reason.
    }
    const { status, body } = result;
    result.isBlocked = !status && !understood && page.origin === "null";
    if (body && status < 300) understood = headers ?? {};
    else if (!headers && isRefusal(status))
      return { ...(await post(path, content, keepalive, json)), isRepeated: !body };
    return result;
  };
}

const longestInMs = 24 * 3_600_000;

/**
 * How long the service asks to wait, in milliseconds; 0 if it does not, negative for a date in the past.
 *
 * Reads seconds, or a date relative to the reply's own `Date`, because the person's clock may be wrong; a minute if the
 * page cannot read that header. At most a day, because answers are kept for seven.
 */
export function retryAfterInMs({ headers }: Reply, { Date }: Page): number {
  const wait = headers?.get("retry-after");
  const untilDateInMs = () => Date.parse(wait!) - Date.parse(headers!.get("date")!);
  return wait ? Math.min(+wait * 1000 || untilDateInMs() || 60_000, longestInMs) : 0;
}
