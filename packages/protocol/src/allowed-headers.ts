const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const longestListInBytes = 2048;

/**
 * The `Access-Control-Allow-Headers` for a preflight that asks for these headers: all of them, because tracers add headers
 * of their own to every request of a page. `content-type` if it asks for none, for more than 2 KiB, or for something that
 * is no header name (RFC 9110, section 5.6.2). Without zod.
 * @param asked the `Access-Control-Request-Headers`
 */
export function allowedHeaders(asked?: string | null): string {
  const names = (asked ?? "").split(",").map((name) => name.trim());
  const isList = asked && asked.length <= longestListInBytes && names.every((name) => headerName.test(name));
  return isList ? names.join(",") : "content-type";
}
