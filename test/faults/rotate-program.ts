import { runServerCommand } from "./server-command.ts";

/** Runs `key rotate-master` in a process of its own; killed after so many changes of files and databases, if any. */
export function rotate(
  database: string,
  { killAfter, masterKey }: { killAfter?: number; masterKey?: string } = {},
) {
  const environment = masterKey === undefined ? undefined : { AFTERWORD_MASTER_KEY: masterKey };
  return runServerCommand(["key", "rotate-master", "--db", database], { killAfter, environment });
}
