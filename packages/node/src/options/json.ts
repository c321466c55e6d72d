/** Whether a value of any origin is an object, whose members can be read. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** A member of a value of any shape, for example `member(part, "response", "modelId")`. */
export const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** The value of a JSON text; `undefined` if it is none. The parser's message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
