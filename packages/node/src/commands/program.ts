import { Command, CommanderError } from "commander";
import { AfterwordError } from "../errors/afterword-error.ts";
import { proxiedFetch } from "../http/environment-fetch.ts";
import { ask } from "./ask.ts";
import { doctor } from "./doctor.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-code.ts";
import { forward } from "./forward.ts";
import { mint } from "./mint.ts";
import { erase, exportRows } from "./privacy-commands.ts";
import { acknowledgeIds, pending } from "./queue-commands.ts";
import { type Invocation, readConfigFile } from "./command-options.ts";
import { type CommandName, type Flags, optionsOf } from "./flags.ts";
import type { Shell } from "./shell.ts";
import { sinkChoices } from "./sink-choice.ts";

const exitCodeHelp = `
Exit codes:
  0  done            2  wrong flags, variables or configuration file; or no such survey (mint)
  1  internal error  3  change a key or a setting: the service or the sink refuses everything
  4  try again later: no connection, rate limit, server error, or scores still pending or unconfirmed at the end
  5  the service refuses this request
  6  the service has erased its part, or may have, but not every sink: run erase again with the output as --again
  130  interrupted before it was done

Variables:
  AFTERWORD_SECRET_KEY       the project's secret key; never a flag, since every user of the machine can see flags
  AFTERWORD_PUBLISHABLE_KEY  the publishable key: for ask, and for the meaning of ratings when forwarding
  AFTERWORD_BASE_URL         address of the service, unless --base-url is given
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY  the proxy for all requests, and the hosts that need none`;

const sinkHelp = `
Sinks and the variables they read:
${Object.entries(sinkChoices)
  .map(
    ([sink, { variables }]) =>
      `  ${sink.padEnd(10)} ${variables.map(({ name }) => name).join(" ") || "--out FILE"}`,
  )
  .join("\n")}`;

interface ProgramCommand {
  /** Returns its exit code if it is not 0. */
  run(call: Invocation): Promise<ExitCode | void>;
  description: string;
  /** What follows the options. */
  help?: string;
}

const commands: Record<CommandName, ProgramCommand> = {
  forward: {
    run: forward,
    description: "Deliver the linked scores to an observability service and acknowledge them.",
    help: sinkHelp,
  },
  mint: { run: mint, description: "Mint session-bound show-tokens." },
  pending: { run: pending, description: "List the scores in the queue, oldest first." },
  ack: {
    run: acknowledgeIds,
    description: "Mark scores as delivered or failed; ids are arguments or lines of standard input.",
  },
  export: {
    run: exportRows,
    description: "Write stored responses as JSON lines; without a selector all of them.",
  },
  erase: { run: erase, description: "Erase responses for good.", help: sinkHelp },
  ask: { run: ask, description: "Show a survey in this terminal." },
  doctor: { run: doctor, description: "Check everything that delivery needs; change nothing." },
};

/** Runs the program with these arguments, without touching the process. */
export async function runProgram(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = new Command("afterword")
    .description("Links people's ratings of an agent's run to that run.")
    .version(shell.version)
    .exitOverride()
    .configureOutput({ writeOut: shell.writeOut, writeErr: shell.writeError })
    .addHelpText("after", exitCodeHelp);
  for (const [name, { run, description, help = "" }] of Object.entries(commands)) {
    const command = program.command(name).description(description).addHelpText("after", help);
    if (name === "ack") command.argument("[ids...]");
    for (const [option, about] of optionsOf(name as CommandName)) command.option(option, about);
    command.action(async () => {
      // Throws for a proxy that is no address.
      proxiedFetch(shell.environment);
      const flags: Flags = command.opts();
      const file = await readConfigFile(flags.config, shell);
      exitCode = (await run({ flags, file, shell, given: command.args })) ?? exitCodes.done;
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return reportError(error, shell);
  }
}

function reportError(error: unknown, shell: Shell): ExitCode {
  // Commander has already printed it; --help and --version end here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const isOurs = AfterwordError.isInstance(error);
  const detail = error instanceof Error ? (isOurs ? error.message : error.stack) : String(error);
  shell.writeError(`afterword: ${detail}\n`);
  return exitCodeOf(error);
}
