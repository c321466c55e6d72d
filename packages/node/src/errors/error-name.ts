/** Names an error without its words, which may quote a score. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return "something that is not an error";
  const name = /^[A-Z]\w{0,39}$/.test(error.name) ? error.name : "Error";
  const code = "code" in error && /^[A-Z][A-Z0-9_]{1,39}$/.test(String(error.code)) ? ` ${error.code}` : "";
  return name + code;
}
