/** Values of Sec-Fetch-Site that a page of the same origin, or the address bar, sends. */
const ownSites = new Set(["same-origin", "none"]);

const refusal =
  "Requests from other sites are refused; add the page's origin to allowedOrigins of createMintHandler if it is yours";

/**
 * Why a request must not get a token: another site's page may send it with the person's cookies. Browsers state the
 * source of a request in Sec-Fetch-Site, older ones in Origin; a client that sends neither is not a browser.
 */
export function crossSiteFault(request: Request, allowedOrigins: readonly string[]): string | undefined {
  const origin = request.headers.get("origin");
  if (origin !== null && allowedOrigins.includes(origin)) return undefined;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return ownSites.has(site) ? undefined : refusal;
  if (origin === null || hostOf(origin) === hostOfRequest(request)) return undefined;
  return refusal;
}

const hostOf = (url: string) => URL.parse(url)?.host;

/** Behind a proxy the URL may name an inner host; Host is what the browser asked for. */
const hostOfRequest = (request: Request) => request.headers.get("host") ?? hostOf(request.url);
