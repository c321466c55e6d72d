import { AfterwordError } from "./core/afterword-error.ts";
import type { Afterword } from "./core/afterword.ts";
import type { Client } from "./core/client.ts";

/** Runs a command by name, as the script tag does. */
export type Call = (command: keyof Afterword, ...given: unknown[]) => unknown;

/** Reports a command's errors instead of throwing them into the host page. */
export function guarded(client: Client): Call {
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
