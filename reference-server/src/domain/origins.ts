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

/** Stands for the wildcard while a pattern is parsed as a URL. */
const placeholder = "wildcard";

const canonicalPattern = (pattern: string) =>
  canonicalOrigin(pattern.replace(/^([^/]+:\/\/)\*\./, `$1${placeholder}.`));

export function isOriginPattern(pattern: string): boolean {
  return pattern === anyOrigin || pattern === opaqueOrigin || canonicalPattern(pattern) !== undefined;
}

function matches(pattern: string, origin: string): boolean {
  if (pattern === anyOrigin) return true;
  const canonical = canonicalPattern(pattern);
  if (!canonical || !pattern.includes("*")) return canonical === origin;
  // The end begins with the dot, so the pattern never matches the bare domain or half a label.
  const [scheme] = canonical.split(placeholder, 1);
  const [start, end] = [scheme!, canonical.slice(scheme!.length + placeholder.length)];
  return origin.length > start.length + end.length && origin.startsWith(start) && origin.endsWith(end);
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
