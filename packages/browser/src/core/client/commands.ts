import { AfterwordError } from "../events/index.ts";
import type { Afterword } from "./afterword.ts";

/** Runs a command by name, as the script tag does. */
export type Call = (command: keyof Afterword, ...given: unknown[]) => unknown;

const names =
  "respondent identify install task resolve ask preview rate mute close consent reset on destroy".split(" ");

/** Runs the commands of a client, and no other member. Reports their errors instead of throwing them into the host page. */
export function callsOf(client: Afterword & { report(error: unknown): void }): Call {
  return (command, ...given) => {
    try {
      if (!names.includes(command))
        throw new AfterwordError("invalid_argument", `unknown command ${command}: use ${names.join(", ")}`);
      return (client[command] as (...given: unknown[]) => unknown).apply(client, given);
    } catch (error) {
      client.report(error);
    }
  };
}

/** The commands as standalone functions. */
export function commandsOf(call: Call): Afterword {
  const entryOf = (name: string) => [name, (...given: unknown[]) => call(name as keyof Afterword, ...given)];
  return Object.fromEntries(names.map(entryOf)) as Afterword;
}
