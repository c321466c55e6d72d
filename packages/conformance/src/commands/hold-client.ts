import { clientClauses } from "../client/client-clauses.ts";
import { ClientUnderTest, keys, roles, type Role } from "../client/client-under-test.ts";
import { runClauses } from "../run-clauses.ts";
import { CannotRun } from "../service/cannot-run.ts";
import { clausePrinter, report, type ReportFlags } from "./reports.ts";
import { type ExitCode, type Shell } from "./shell.ts";

export interface ClientFlags extends ReportFlags {
  role?: string;
}

/** Holds a client to the contract. */
export async function holdClient(
  command: readonly string[],
  flags: ClientFlags,
  shell: Shell,
): Promise<ExitCode> {
  const role = roles.find((one) => one === flags.role);
  if (!role) throw new CannotRun(`pass --role, one of ${roles.join(", ")}`);
  const results = await runClauses({
    clauses: clientClauses[role satisfies Role],
    subject: new ClientUnderTest(command, role),
    secrets: Object.values(keys),
    onResult: clausePrinter(flags, shell),
    signal: shell.signal,
  });
  if (shell.signal.aborted) throw new CannotRun("interrupted");
  return report(results, `${command.join(" ")} as ${role}`, flags, shell);
}
