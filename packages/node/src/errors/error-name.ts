const noError = "something that is not an error";

/** Names an error by its class and code, without its words, which may quote a score. Never throws. */
export function errorName(error: unknown): string {
  try {
    if (!(error instanceof Error)) return noError;
    const names = [error.name, error.constructor.name].filter((name) => /^[A-Z]\w{0,39}$/.test(name));
    const code = "code" in error && /^[A-Z][A-Z0-9_]{1,39}$/.test(String(error.code)) ? ` ${error.code}` : "";
    return (names.find((name) => name !== "Error") ?? "Error") + code;
  } catch {
    return noError;
  }
}

/** Adds where the error was thrown: the first line of its stack that names a file outside of Node. */
export function errorOrigin(error: unknown): string {
  const name = errorName(error);
  try {
    const { message, stack } = error as { message: string; stack: string };
    // The words stand in front of the frames.
    const frames = stack.slice(stack.indexOf(message) + message.length).split(/\n +/);
    const place = frames.find((frame) => /^at .+:\d+:\d+\)?$/.test(frame) && !/\bnode:/.test(frame));
    return place === undefined ? name : `${name} ${place}`;
  } catch {
    return name;
  }
}

/** The code of the deepest cause, for example ECONNREFUSED, which says more than "fetch failed". */
export function causeOf(error: Error): string | undefined {
  const inner = error.cause instanceof Error ? causeOf(error.cause) : undefined;
  return inner ?? ("code" in error && typeof error.code === "string" ? error.code : undefined);
}
