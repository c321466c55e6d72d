import type { Call } from "./call.ts";
import type { Afterword } from "./core/afterword.ts";

const commands = [
  "respondent",
  "identify",
  "install",
  "task",
  "resolve",
  "ask",
  "preview",
  "rate",
  "mute",
  "close",
  "consent",
  "reset",
  "on",
  "destroy",
] as const satisfies (keyof Afterword)[];

/** The commands as standalone functions. */
export function commandsOf(call: Call): Afterword {
  const entries = commands.map((name) => [name, (...given: unknown[]) => call(name, ...given)]);
  return Object.fromEntries(entries) as Afterword;
}
