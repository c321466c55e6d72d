const anyOrigin = "*";
const opaqueOrigin = "null";

/** The origin of a URL text that is nothing but an origin; default ports are left out, letters are lower case. */
function canonicalOrigin(text: string): string | undefined {
  // A URL may hold an asterisk, an origin of a browser never does.
  if (text.includes("*") || !URL.canParse(text)) return undefined;
  const { origin, href, protocol } = new URL(text);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && (href === `${origin}/` || href === origin) && !text.endsWith("/") ? origin : undefined;
}

const wildcard = "*.";
/** Stands for the wildcard while the rest of a pattern is parsed as a URL. */
const placeholder = "wildcard.";

function splitWildcard(pattern: string): { scheme: string; rest: string } | undefined {
  const [scheme, host] = pattern.split("://", 2);
  if (!scheme || !host?.startsWith(wildcard)) return undefined;
  const origin = canonicalOrigin(`${scheme}://${placeholder}${host.slice(wildcard.length)}`);
  const start = `${scheme.toLowerCase()}://`;
  return origin ? { scheme: start, rest: origin.slice(start.length + placeholder.length - 1) } : undefined;
}

export function isOriginPattern(pattern: string): boolean {
  if (pattern === anyOrigin || pattern === opaqueOrigin) return true;
  return (pattern.includes("*") ? splitWildcard(pattern) : canonicalOrigin(pattern)) !== undefined;
}

function matches(pattern: string, origin: string): boolean {
  if (pattern === anyOrigin) return true;
  const parts = splitWildcard(pattern);
  if (!parts) return canonicalOrigin(pattern) === origin;
  // `rest` begins with the dot, so the pattern never matches the bare domain or half a label.
  const isLonger = origin.length > parts.scheme.length + parts.rest.length;
  return isLonger && origin.startsWith(parts.scheme) && origin.endsWith(parts.rest);
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Says whether a Host header names this machine by one of its loopback names, at any port. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackOrigin(`http://${host}`);
}

/** Says whether a page comes from a server on this machine, at any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const canonical = canonicalOrigin(origin);
  return canonical !== undefined && loopbackNames.has(new URL(canonical).hostname);
}

/**
 * Says whether a page of this origin may call a project's public routes: parsed, then compared as a whole with each
 * address, and with each wildcard by scheme and by whole labels of the host.
 */
export function isOriginAllowed(allowed: readonly string[], origin: string): boolean {
  if (origin === opaqueOrigin) return allowed.includes(opaqueOrigin);
  const canonical = canonicalOrigin(origin);
  return canonical !== undefined && allowed.some((pattern) => matches(pattern, canonical));
}
