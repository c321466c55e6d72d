import { Command } from "commander";
import {
  type MasterKeyPlace,
  newRecordId,
  type SchemaChange,
  UsageError,
} from "@afterword/reference-server/internal";
import { Audit, type AuditTrail } from "../audit/audit-trail.ts";
import { type ChainKey } from "../audit/audit-chain.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { openAuditTrail } from "../audit/open-audit-trail.ts";
import { auditFileOption, databaseOption, keyFileOption, type DatabaseFlags } from "./database-flags.ts";
import { type ExitCode } from "./exit-code.ts";
import { type Terminal } from "./terminal.ts";
import { withService } from "./with-service.ts";

/** What a command prints once the database is closed. */
export interface Outcome {
  /** With `--json`: one line. */
  json: unknown;
  /** Without it: lines on standard output, … */
  lines?: readonly Line[];
  /** … and on standard error. */
  remarks?: readonly Line[];
  /** Default: 0. */
  exitCode?: ExitCode;
  /** What may have ended the work early, which is reported after its result. */
  interruption?: AbortSignal;
}

/** Absent lines are not printed. */
type Line = string | false | undefined;

/** One run of a command, with its flags. */
export interface Run<Flags extends DatabaseFlags = DatabaseFlags> {
  flags: Flags;
  terminal: Terminal;
  /** @throws UsageError when the word was not typed, or without a terminal or `--yes` */
  confirm(consequence: string, word: string): Promise<void>;
  /** Chains the audit lines from the next one on. */
  chainWith(masterKey: ChainKey): void;
  /** Runs an act between two audit lines. @throws UsageError for a file that cannot be written */
  change: Audit["change"];
  /** Writes an audit line about data that was read. */
  reading: Audit["reading"];
}

/** A run that has opened the database. */
export interface Session<Flags extends DatabaseFlags = DatabaseFlags> extends Run<Flags> {
  service: OperatedService;
  masterKeyPlace: MasterKeyPlace;
}

interface Definition<Context, Arguments extends unknown[]> {
  /** As typed, for example `project purge`. */
  name: string;
  description: string;
  example: string;
  /** Adds its arguments and flags. */
  options?: (command: Command) => Command;
  /** Changes of the schema that opening may make. Default: none. */
  schema?: SchemaChange;
  /** Resolves with what to print, or with nothing when everything has been printed. */
  work(context: Context, ...given: Arguments): Promise<Outcome | void>;
}

export type CommandOf = (terminal: Terminal) => Command;

/** Writes to the audit file or, without one, to standard error; opened by the first line. */
function auditOf(terminal: Terminal, { auditFile }: DatabaseFlags, command: string) {
  const { operator, host, clock, log } = terminal;
  let trail: AuditTrail | undefined;
  let key: ChainKey | undefined;
  const audit = () => {
    trail ??= openAuditTrail(auditFile, log, clock);
    if (key) trail.chain?.use(key);
    return new Audit(trail, { act: newRecordId(clock.now()), command, operator, host });
  };
  return {
    chainWith: (masterKey: ChainKey) => void (key = masterKey),
    change: ((intent, act) => audit().change(intent, act)) as Audit["change"],
    reading: ((intent) => audit().reading(intent)) as Audit["reading"],
  };
}

function show(terminal: Terminal, isJson: boolean | undefined, outcome: Outcome): void {
  const { json, lines = [], remarks = [], exitCode, interruption } = outcome;
  const isThere = (line: Line) => typeof line === "string";
  if (isJson) terminal.print(JSON.stringify(json));
  else {
    for (const line of lines.filter(isThere)) terminal.print(line);
    for (const line of remarks.filter(isThere)) terminal.complain(line);
  }
  if (exitCode !== undefined) terminal.setExitCode(exitCode);
  interruption?.throwIfAborted();
}

/**
 * Asks for confirmation of a destructive command, unless `--yes` was given.
 * @throws UsageError when the word was not typed, or without a terminal
 */
export async function confirm(
  terminal: Terminal,
  isConfirmed: boolean | undefined,
  consequence: string,
  word: string,
): Promise<void> {
  if (isConfirmed) return;
  if (!terminal.isInteractive) {
    throw new UsageError(`${consequence} Add --yes to confirm without a terminal.`);
  }
  terminal.complain(consequence);
  const answer = await terminal.ask(`Type ${word} to continue: `);
  if (answer.trim() !== word) throw new UsageError("Nothing was changed.");
}

/** A command that opens the database in its own way. */
export function defineBareCommand<Flags extends DatabaseFlags, Arguments extends unknown[]>(
  definition: Definition<Run<Flags>, Arguments>,
): CommandOf {
  const { name, description, example, options = (command) => command, work } = definition;
  return (terminal) => {
    const command = new Command(name.split(" ").at(-1))
      .description(description)
      .addOption(databaseOption())
      .addOption(keyFileOption())
      .addOption(auditFileOption())
      .option("--json", "print the result as one line of JSON")
      .addHelpText("after", `\nExample:\n  afterword-server ${example}`);
    return options(command).action(async () => {
      const flags = command.opts<Flags>();
      const run: Run<Flags> = {
        flags,
        terminal,
        confirm: (consequence, word) => confirm(terminal, flags.yes, consequence, word),
        ...auditOf(terminal, flags, name),
      };
      const outcome = await work(run, ...(command.processedArgs as Arguments));
      if (outcome) show(terminal, flags.json, outcome);
    });
  };
}

/** A command that works on the open database. */
export function defineCommand<Flags extends DatabaseFlags, Arguments extends unknown[]>(
  definition: Definition<Session<Flags>, Arguments>,
): CommandOf {
  return defineBareCommand<Flags, Arguments>({
    ...definition,
    work: (run, ...given) =>
      withService(
        run.flags,
        run.terminal,
        (service, masterKeyPlace) => {
          run.chainWith(service.masterKeys.current);
          return definition.work({ ...run, service, masterKeyPlace }, ...given);
        },
        { change: definition.schema },
      ),
  });
}

/** Commands under one name. */
export function commandGroup(name: string, description: string, ...commands: CommandOf[]): CommandOf {
  return (terminal) => {
    const group = new Command(name).description(description);
    for (const command of commands) group.addCommand(command(terminal));
    return group;
  };
}
