import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";

/** What came back. */
export interface Reply {
  /** HTTP status; 0 when there was no reply, which leaves open what the service did. */
  status: number;
  /** The body if it was a JSON object; anything else comes from something in between, such as a proxy. */
  body?: Record<string, unknown>;
  /** How long the service asks to wait, in milliseconds; 0 when it does not, negative for a date in the past. */
  retryAfterInMs: number;
}

/** Sends a body to a path of the service. Never rejects. */
export type Post = (path: string, body: object) => Promise<Reply>;

const longestWaitInMs = 15_000;
const longestRetryAfterInMs = 24 * 3_600_000;
// Requests that outlive the page may carry this much, all of them together (Fetch standard).
const mostKeptAliveInBytes = 65_536;

const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 429;
const json = { "content-type": "application/json" };

export function createPost(page: Page, { baseUrl, key }: AfterwordOptions): Post {
  let understood: typeof json | undefined;
  let isPlainUnderstood = false;
  let keptAliveInBytes = 0;

  async function send(path: string, content: object, headers?: typeof json): Promise<Reply> {
    let size = 0;
    try {
      const body = JSON.stringify({ key, ...content });
      size = new page.Blob([body]).size;
      if (keptAliveInBytes + size > mostKeptAliveInBytes) size = 0;
      keptAliveInBytes += size;
      const reply = await page.fetch(baseUrl.replace(/\/$/, "") + path, {
        method: "POST",
        body,
        headers,
        keepalive: !!size,
        signal: page.AbortSignal.timeout(longestWaitInMs),
      });
      const wait = reply.headers.get("retry-after") ?? "";
      const parsed: unknown = await reply.json().catch(() => 0);
      return {
        status: reply.status,
        body: parsed instanceof Object && !Array.isArray(parsed) ? (parsed as Reply["body"]) : undefined,
        // Seconds, or a date, which a wrong clock may put years ahead: an answer is kept for seven days (decision O51).
        retryAfterInMs: Math.min(
          +wait * 1000 || page.Date.parse(wait) - page.Date.now() || 0,
          longestRetryAfterInMs,
        ),
      };
    } catch {
      return { status: 0, retryAfterInMs: 0 };
    } finally {
      keptAliveInBytes -= size;
    }
  }

  // A plain-text body needs no preflight (decision D48): one request instead of two. A service that reads only JSON
  // refuses it, and hides that refusal from the page if it carries no CORS headers (decision O46).
  return async function post(path, content, headers = understood): Promise<Reply> {
    const reply = await send(path, content, headers);
    const { status, body } = reply;
    if (body && status < 300) {
      if (headers) understood = headers;
      else isPlainUnderstood = true;
    } else if (!headers && !isPlainUnderstood && (!status || isRefusal(status))) {
      return post(path, content, json);
    }
    return reply;
  };
}
