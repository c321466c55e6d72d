import { AfterwordError } from "./afterword-error.ts";
import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";

/** What came back. */
export interface Reply {
  /** HTTP status; 0 when there was no reply, so that nobody knows what the service did. */
  status: number;
  /** The body as far as it was JSON, else empty. */
  body: Record<string, unknown>;
  /** How long the service asks to wait, in milliseconds; 0 when it does not, negative for a date in the past. */
  retryAfterInMs: number;
}

/** Sends a body to a path of the service. Never rejects. */
export type Post = (path: string, body: object) => Promise<Reply>;

const longestWaitInMs = 15_000;
// Requests that outlive the page may carry 64 KiB, all of them together.
const longestKeptAlive = 30_000;

export function createPost(page: Page, { baseUrl, key }: AfterwordOptions): Post {
  // A plain-text body needs no preflight (decision D48): one request instead of two. Services that insist get JSON.
  let headers: Record<string, string> | undefined;
  return async function post(path, content): Promise<Reply> {
    const isPlain = !headers;
    try {
      const body = JSON.stringify({ key, ...content });
      const reply = await page.fetch(baseUrl.replace(/\/$/, "") + path, {
        method: "POST",
        body,
        headers,
        keepalive: body.length < longestKeptAlive,
        signal: page.AbortSignal.timeout(longestWaitInMs),
      });
      const { status } = reply;
      if (isPlain && [400, 415].includes(status)) {
        headers = { "content-type": "application/json" };
        return await post(path, content);
      }
      const wait = reply.headers.get("retry-after") ?? "";
      return {
        status,
        body: (await reply.json().catch(() => 0)) || {},
        // Seconds, or a date.
        retryAfterInMs: +wait * 1000 || page.Date.parse(wait) - page.Date.now() || 0,
      };
    } catch {
      return { status: 0, body: {}, retryAfterInMs: 0 };
    }
  };
}

/** A reply as an error that can be read in a log. To a page, a refused origin looks like a dead network. */
export function replyError(path: string, { status, body }: Reply): AfterwordError {
  const { code = status ? "refused" : "network", instance } = body as { code?: string; instance?: string };
  const what = status || "no reply: offline, or origin not allowed";
  const request = instance ? `, request ${instance}` : "";
  return new AfterwordError(code, `POST ${path}: ${what} (${code}${request})`, status, instance);
}
