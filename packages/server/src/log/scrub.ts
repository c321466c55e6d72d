const longestMessage = 500;

/** Patterns that must not appear in a log, because errors of libraries may quote them. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/aw_[ps]k_[\w-]+/g, "[key]"],
  [/\bst[12]\.[\w.-]+/g, "[token]"],
  // With the limits of RFC 5321 (section 4.5.3.1), so that its time stays linear in the text.
  [/[^\s"'<>()@]{1,64}@[^\s"'<>()@]{1,255}\.[^\s"'<>()@]{1,64}/g, "[e-mail]"],
  [/\b(postgres(?:ql)?:\/\/)[^@\s/]+@/g, "$1[credentials]@"],
  // Values that databases and parsers quote: `Key (id)=(…)`, `Unexpected token … "…" is not valid JSON`.
  // A value that is cut off hides all that follows.
  [/=\([^)]*(?:\)|$)/g, "=(…)"],
  [/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '"…"'],
];

/** Replaces keys, tokens, addresses and quoted values in an error's text. */
export function scrub(text: string): string {
  const scrubbed = secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  return scrubbed.length > longestMessage ? `${scrubbed.slice(0, longestMessage)}…` : scrubbed;
}

/** Name, code, message and stack frames; no other fields, in which drivers put parameters. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    ...(typeof code === "string" && { code }),
    message: scrub(error.message),
    at: frames.slice(0, 10).map((line) => line.trim().slice(3)),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
