import { clientClauses } from "../client/client-clauses.ts";
import { ClientUnderTest, keys, roles, type Role } from "../client/client-under-test.ts";
import { type ClauseResult, runClauses } from "../run-clauses.ts";
import { CannotRun } from "../service/cannot-run.ts";
import { clausePrinter, report, type ReportFlags } from "./reports.ts";
import { type ExitCode, type Shell } from "./shell.ts";

export interface ClientFlags extends ReportFlags {
  role?: string;
}

/** The roles of a list, or all of them. */
function chosenRoles(list: string | undefined): readonly Role[] {
  if (list === undefined) return roles;
  const chosen = roles.filter((role) => list.split(",").includes(role));
  if (chosen.length === list.split(",").length) return chosen;
  throw new CannotRun(`--role takes one or more of ${roles.join(", ")}`);
}

/** Holds a client to the contract. */
export async function holdClient(
  command: readonly string[],
  flags: ClientFlags,
  shell: Shell,
): Promise<ExitCode> {
  const { signal } = shell;
  const chosen = chosenRoles(flags.role);
  const onResult = clausePrinter(flags, shell);
  const results: ClauseResult[] = [];
  for (const role of chosen) {
    const subject = new ClientUnderTest(command, role, signal);
    const options = { clauses: clientClauses[role], subject, secrets: Object.values(keys), onResult, signal };
    results.push(...(await runClauses(options)));
  }
  if (signal.aborted) throw new CannotRun("interrupted");
  return report(results, `${command.join(" ")} as ${chosen.join(", ")}`, flags, shell);
}
