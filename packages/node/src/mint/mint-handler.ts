import type { HandedOverRun, MintBody } from "@afterword/protocol";
import { allowedHeaders } from "@afterword/protocol/allowed-headers";
import type { Client } from "../client/client.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { type Logger, silentLogger } from "../options/logger.ts";

/** What `authorize` returns for a caller; `undefined` or `null` refuses them. */
export type Authorized = MintBody | null | undefined;

/** What `createMintHandler` takes. */
export interface MintHandlerOptions {
  client: Pick<Client, "mint">;
  /**
   * Identifies the caller and their finished task from what the server knows: its session cookie, its database. The
   * request's body is never read, since a page that could name a respondent or a session could rate for others.
   */
  authorize: (request: Request) => Authorized | Promise<Authorized>;
  /** Ask only with this survey, unless `authorize` names one. Default: all active surveys. */
  surveyId?: string | undefined;
  /**
   * Other origins whose pages may call this handler with cookies or a bearer token and read its reply, such as
   * `https://app.example.com`; their preflight requests are answered, with any headers. Default: only its own origin.
   */
  allowedOrigins?: readonly string[] | undefined;
  /** How long minting may take, in milliseconds, including retries; then the page gets 503. Default 4000. */
  timeoutInMs?: number | undefined;
  logger?: Logger | undefined;
}

/** The reply to the page: everything that its `install` needs. If `tokens` is empty, no survey is shown. */
export interface MintHandlerReply extends HandedOverRun {
  gated: boolean;
}

const headers = { "content-type": "application/json", "cache-control": "no-store" };

/** CORS headers for a page of a listed origin. */
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

/** With the headers that the page's tracers add, and `authorization` if the app's requests carry it. */
const preflightHeaders = ({ headers }: Request) => ({
  "vary": "Origin, Access-Control-Request-Headers",
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": allowedHeaders(headers.get("access-control-request-headers")),
  "access-control-max-age": "7200",
});

const refusal = (status: number, title: string, more: Record<string, string> = {}) =>
  Response.json(
    { type: "about:blank", title, status },
    { status, headers: { ...headers, "content-type": "application/problem+json", ...more } },
  );

/**
 * Creates a handler that mints for the page: a standard `(Request) => Promise<Response>` for Hono, Next.js, Bun, Deno and
 * workers. Answers 200 with tokens (none when the respondent is gated), 401 when `authorize` refuses, 403 to
 * other sites, 405 to anything but POST, and 503 when the service cannot mint, so that the page simply does not ask.
 * @example
 * const run = { respondentId: "user-17", sessionId: "run-2041" }; // by your session cookie, of your database
 * const mint = createMintHandler({ client: new Afterword(), authorize: () => run, surveyId: "csat" });
 */
export function createMintHandler({
  client,
  authorize,
  surveyId,
  allowedOrigins = [],
  timeoutInMs = 4000,
  logger = silentLogger,
}: MintHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const shared = crossOriginHeaders(request, allowedOrigins);
    if (request.method === "OPTIONS" && "access-control-allow-origin" in shared)
      return new Response(null, { status: 204, headers: { ...shared, ...preflightHeaders(request) } });
    if (request.method !== "POST") return refusal(405, "Send a POST request", { ...shared, allow: "POST" });
    if (isCrossSite(request, allowedOrigins)) return refusal(403, crossSite, shared);
    let timeout: AbortSignal | undefined;
    try {
      const authorized = await authorize(request);
      if (!authorized) return refusal(401, "Not signed in, or no finished task to ask about", shared);
      const { respondentId, sessionId, observationId, taskType, run } = authorized;
      const rated = { sessionId, observationId, taskType };
      const body = { ...rated, respondentId, surveyId: authorized.surveyId ?? surveyId, run };
      timeout = AbortSignal.timeout(timeoutInMs);
      const signal = AbortSignal.any([request.signal, timeout]);
      const { tokens, gated } = await client.mint(body, { signal });
      const reply: MintHandlerReply = { tokens, gated, ...rated };
      return Response.json(reply, { headers: { ...headers, ...shared } });
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

/** Values of Sec-Fetch-Site that a page of the same origin, or the address bar, sends. */
const ownSites = new Set(["same-origin", "none"]);

const crossSite =
  "Requests from other sites are refused; add the page's origin to allowedOrigins of createMintHandler if it is yours";

/**
 * Whether another site's page may have sent a request, with the person's cookies. Browsers state the source of a request
 * in Sec-Fetch-Site, older ones in Origin; a client that sends neither is not a browser.
 */
function isCrossSite(request: Request, allowedOrigins: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null && allowedOrigins.includes(origin)) return false;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return !ownSites.has(site);
  return origin !== null && hostOf(origin) !== hostOfRequest(request);
}

const hostOf = (url: string) => URL.parse(url)?.host;

/** Behind a proxy the URL may name an inner host; Host is what the browser asked for. */
const hostOfRequest = (request: Request) => request.headers.get("host") ?? hostOf(request.url);
