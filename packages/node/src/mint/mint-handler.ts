import type { MintBody } from "@afterword/protocol";
import type { Client } from "../client/client.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { silentLogger, type Logger } from "../options/logger.ts";
import { crossSiteFault } from "./cross-site.ts";

/** What `authorize` knows about the caller; `undefined` and `null` refuse them. */
export type Authorized = MintBody | null | undefined;

export interface MintHandlerOptions {
  client: Pick<Client, "mint">;
  /**
   * Tells from the server's own knowledge (its session cookie, its database) who is asking and which finished task this
   * is about. The request's body is never read: a page that could name a respondent or a session could rate for others.
   */
  authorize: (request: Request) => Authorized | Promise<Authorized>;
  /**
   * Other origins whose pages may call this handler and read its reply, with the person's cookies, such as
   * `https://app.example.com`; preflights of theirs are answered. Default: only its own.
   */
  allowedOrigins?: readonly string[];
  /** Milliseconds that the service has to mint, retries included; then the page gets 503. Default 4000. */
  timeoutInMs?: number;
  logger?: Logger;
}

/** What the page gets: everything that its `install` needs. Without `tokens` nobody is asked. */
export interface MintHandlerReply {
  tokens: Record<string, string>;
  gated: boolean;
  sessionId: string;
  observationId?: string;
  taskType?: string;
}

const headers = { "content-type": "application/json", "cache-control": "no-store" };

/** What lets a page of a listed origin read the reply. */
function crossOriginHeaders(request: Request, allowedOrigins: readonly string[]): Record<string, string> {
  const origin = request.headers.get("origin");
  if (allowedOrigins.length === 0) return {};
  if (origin === null || !allowedOrigins.includes(origin)) return { vary: "Origin" };
  return {
    "vary": "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
  };
}

const preflightHeaders = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "7200",
};

/** The answer to a preflight of a listed origin; nothing for any other request. */
function preflightReply(request: Request, shared: Record<string, string>): Response | undefined {
  if (request.method !== "OPTIONS" || !("access-control-allow-origin" in shared)) return undefined;
  return new Response(null, { status: 204, headers: { ...shared, ...preflightHeaders } });
}

function refusal(status: number, title: string, more: Record<string, string> = {}): Response {
  const body = JSON.stringify({ type: "about:blank", title, status });
  return new Response(body, {
    status,
    headers: { ...headers, "content-type": "application/problem+json", ...more },
  });
}

/**
 * Makes a handler that mints for the page: a standard `(Request) => Promise<Response>`, as Hono, Next.js, Bun, Deno and
 * workers take it. Answers 200 with tokens (none when the respondent is gated), 401 when `authorize` refuses, 403 to
 * other sites, 405 to anything but POST, and 503 when the service cannot mint, so that the page simply does not ask.
 */
export function createMintHandler({
  client,
  authorize,
  allowedOrigins = [],
  timeoutInMs = 4000,
  logger = silentLogger,
}: MintHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const shared = crossOriginHeaders(request, allowedOrigins);
    const preflight = preflightReply(request, shared);
    if (preflight) return preflight;
    if (request.method !== "POST") return refusal(405, "Send a POST request", { ...shared, allow: "POST" });
    const fault = crossSiteFault(request, allowedOrigins);
    if (fault) return refusal(403, fault, shared);
    let timeout: AbortSignal | undefined;
    try {
      const authorized = await authorize(request);
      if (!authorized) return refusal(401, "Not signed in, or no finished task to ask about", shared);
      timeout = AbortSignal.timeout(timeoutInMs);
      const reply = await mintFor(client, authorized, AbortSignal.any([request.signal, timeout]));
      return new Response(JSON.stringify(reply), { headers: { ...headers, ...shared } });
    } catch (error) {
      // An error of authorize may quote personal data; the package's own never do.
      const reason = AfterwordError.isInstance(error) ? error.message : "authorize failed";
      logger.warn(
        `minting for a page failed: ${timeout?.aborted ? `no reply within ${timeoutInMs} ms` : reason}`,
      );
      return refusal(503, "No token can be minted now", shared);
    }
  };
}

async function mintFor(
  client: Pick<Client, "mint">,
  { respondentId, sessionId, observationId, taskType, surveyId }: MintBody,
  signal: AbortSignal,
): Promise<MintHandlerReply> {
  const body = { respondentId, sessionId, observationId, taskType, surveyId };
  const { tokens, gated } = await client.mint(body, { signal });
  return { tokens, gated, sessionId, observationId, taskType };
}
