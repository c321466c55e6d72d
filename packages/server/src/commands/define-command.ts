import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type SchemaChange } from "@afterword/reference-server/internal";
import { type DatabaseCommand, type DatabaseFlags, withDatabaseFlags } from "./flags.ts";
import { type ExitCode, type Terminal } from "./terminal.ts";
import { type Run, type Session, withService } from "./with-service.ts";

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

interface Definition<Bare, Made extends CommandUnknownOpts, Context> {
  /** As typed, for example `project purge`. */
  name: string;
  description: string;
  example: string;
  /** Adds its arguments and flags. */
  options(command: Bare): Made;
  /** Resolves with what to print, or with nothing when everything has been printed. */
  work(context: Context, ...given: Made["processedArgs"]): Promise<Outcome | void>;
}

/** The flags of a command, as its options describe them. */
export type FlagsOf<Made extends CommandUnknownOpts> = ReturnType<Made["opts"]>;

/** Adds a command to its parent, whose settings it inherits. */
export type AddCommand = (parent: CommandUnknownOpts, terminal: Terminal) => void;

function show(terminal: Terminal, isJson: boolean, outcome: Outcome): void {
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

/** A command that opens the database in its own way, or none. */
export function defineBareCommand<Made extends CommandUnknownOpts>(
  definition: Definition<Command, Made, Run<FlagsOf<Made>>>,
): AddCommand {
  const { name, description, example, options, work } = definition;
  return (parent, terminal) => {
    const bare = new Command(name.split(" ").at(-1))
      .copyInheritedSettings(parent)
      .description(description)
      .addHelpText("after", `\nExample:\n  afterword-server ${example}`);
    const command = options(bare).action(async () => {
      const flags = command.opts() as FlagsOf<Made>;
      const outcome = await work({ ...terminal, flags, command: name }, ...command.processedArgs);
      if (outcome) show(terminal, flags["json"] === true, outcome);
    });
    parent.addCommand(command);
  };
}

/** A command that works on the open database. */
export function defineCommand<Made extends Command<unknown[], DatabaseFlags>>(
  definition: Definition<DatabaseCommand, Made, Session<FlagsOf<Made>>> & {
    /** Changes of the schema that opening may make. Default: none. */
    schema?: SchemaChange;
  },
): AddCommand {
  const { options, schema: change, work } = definition;
  return defineBareCommand<Made>({
    ...definition,
    options: (command) => options(withDatabaseFlags(command)),
    work: (run, ...given) => withService(run, (session) => work(session, ...given), { change }),
  });
}

/** Commands under one name. */
export function commandGroup(name: string, description: string, ...commands: AddCommand[]): AddCommand {
  return (parent, terminal) => {
    const group = parent.command(name).description(description);
    for (const addCommand of commands) addCommand(group, terminal);
  };
}
