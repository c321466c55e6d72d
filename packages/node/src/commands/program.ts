import { Command, CommanderError } from "commander";
import { AfterwordError } from "../errors/afterword-error.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-code.ts";
import { type ForwardFlags } from "./forward-settings.ts";
import { forward } from "./forward.ts";
import { type Shell } from "./shell.ts";
import { sinkChoices } from "./sink-choice.ts";

const exitCodeHelp = `
Exit codes:
  0  done            2  wrong flags, variables or configuration file; nothing was sent
  1  internal fault  3  the service or the sink refuses the key
  4  not now: no connection, rate limit, server fault, or rows still pending after --once
  5  the service refuses this request           130  interrupted before it was done

Variables:
  AFTERWORD_SECRET_KEY   the project's secret key; never a flag, since flags are seen by every user of a machine
  AFTERWORD_BASE_URL     address of the service, unless --base-url is given`;

const sinkHelp = `
Sinks and the variables they read:
${Object.entries(sinkChoices)
  .map(([name, { variables }]) => `  ${name.padEnd(10)} ${variables.join(" ") || "--out FILE"}`)
  .join("\n")}`;

/** Runs the program with these arguments, without touching the process. */
export async function runProgram(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const action =
    <Flags>(command: (flags: Flags, shell: Shell) => Promise<ExitCode>) =>
    async (flags: Flags) => {
      exitCode = await command(flags, shell);
    };
  const program = new Command("afterword")
    .description("Links what people say about an agent's run to that run.")
    .exitOverride()
    .configureOutput({ writeOut: shell.writeOut, writeErr: shell.writeError })
    .addHelpText("after", exitCodeHelp);

  connected(program.command("forward"))
    .description("Deliver the linked ratings to an observability service and acknowledge them.")
    .option("--sink <name>", `where to: ${Object.keys(sinkChoices).join(", ")}; default jsonl`)
    .option("--out <file>", "file of the jsonl sink")
    .option("--once", "deliver what is there, then exit")
    .option("--dry-run", "show what would be delivered; deliver and acknowledge nothing")
    .option("--concurrency <number>", "most calls of the sink at once; default 8")
    .option("--poll-interval <duration>", "between two polls of an empty queue; default 2s")
    .option("--ack-interval <duration>", "longest wait of an acknowledgement; default 1s, at most 10s")
    .option("--sink-timeout <duration>", "until a call of the sink is given up; default 30s")
    .option("--partition <share>", "deliver only this share of the rows, for example 1/3")
    .option("--text <policy>", "what people wrote: include or omit; default omit, for jsonl include")
    .addHelpText("after", sinkHelp)
    .action(action<ForwardFlags>(forward));

  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return tell(error, shell);
  }
}

/** The flags of every command that talks to the service. */
function connected(command: Command): Command {
  return command
    .option("--base-url <url>", "address of the service; default AFTERWORD_BASE_URL")
    .option("--config <file>", "settings as JSON; flags and variables win over it")
    .option("--timeout <duration>", "until one attempt is given up; default 10s")
    .option("--json", "write results as JSON, one value per line");
}

function tell(error: unknown, shell: Shell): ExitCode {
  // Commander has told it already; help and version come here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  const detail = AfterwordError.isInstance(error) || !(error instanceof Error) ? message : error.stack;
  shell.writeError(`afterword: ${detail}\n`);
  return exitCodeOf(error);
}
