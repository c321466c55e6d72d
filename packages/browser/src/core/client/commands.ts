import { AfterwordError } from "../events/index.ts";
import type { Afterword } from "./afterword.ts";
import type { Client } from "./client.ts";

/** Runs a command by name, as the script tag does. */
export type Call = (command: keyof Afterword, ...given: unknown[]) => unknown;

/** Reports a command's errors instead of throwing them into the host page. */
export function guardCommands(client: Client): Call {
  return (command, ...given) => {
    try {
      const run = client[command] as ((...given: unknown[]) => unknown) | undefined;
      if (!run) throw new AfterwordError("invalid_argument", `unknown command ${command}`);
      return run.apply(client, given);
    } catch (error) {
      client.report(error);
    }
  };
}

const names = "respondent identify install task resolve ask preview rate mute close consent reset on destroy";

/** The commands as standalone functions. */
export function commandsOf(call: Call): Afterword {
  const entryOf = (name: string) => [name, (...given: unknown[]) => call(name as keyof Afterword, ...given)];
  return Object.fromEntries(names.split(" ").map(entryOf)) as Afterword;
}
