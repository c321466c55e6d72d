import { Command, CommanderError } from "commander";
import { AfterwordError } from "../errors/afterword-error.ts";
import { environmentProxies } from "../http/environment-fetch.ts";
import { acknowledgeIds } from "./acknowledge-ids.ts";
import { ask } from "./ask.ts";
import { doctor } from "./doctor.ts";
import { erase } from "./erase.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-code.ts";
import { exportRows } from "./export-rows.ts";
import { forward } from "./forward.ts";
import { mint } from "./mint.ts";
import { pending } from "./pending.ts";
import type { Flags } from "./command-options.ts";
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
    ([name, { required, optional }]) =>
      `  ${name.padEnd(10)} ${[...required, ...optional].join(" ") || "--out FILE"}`,
  )
  .join("\n")}`;

type Run = (flags: Flags, shell: Shell, given: string[]) => Promise<ExitCode>;

/** Runs the program with these arguments, without touching the process. */
export async function runProgram(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = new Command("afterword")
    .description("Links people's ratings of an agent's run to that run.")
    .version(shell.version)
    .exitOverride()
    .configureOutput({ writeOut: shell.writeOut, writeErr: shell.writeError })
    .addHelpText("after", exitCodeHelp);
  const commands: [Command, Run][] = [
    [declareForward(program), forward],
    [declareMint(program), mint],
    [declarePending(program), pending],
    [declareAck(program), (flags, _shell, ids) => acknowledgeIds(ids, flags, shell)],
    [declareExport(program), exportRows],
    [declareErase(program), erase],
    [declareAsk(program), ask],
    [declareDoctor(program), doctor],
  ];
  for (const [command, run] of commands) {
    command.action(async () => {
      // Throws for a proxy that is no address.
      environmentProxies(shell.environment);
      exitCode = await run(command.opts(), shell, command.args);
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return reportError(error, shell);
  }
}

/** A command that talks to the service. */
function connected(program: Command, nameAndArguments: string, description: string): Command {
  return program
    .command(nameAndArguments)
    .description(description)
    .option("--base-url <url>", "address of the service; default AFTERWORD_BASE_URL")
    .option("--config <file>", "settings as JSON; flags and variables override it")
    .option("--timeout <duration>", "timeout of one attempt; default 10s")
    .option("--json", "write results as JSON, one value per line");
}

const scoreNameHelp = "one name for the scores of all surveys; default afterword. and the survey's id";

const declareForward = (program: Command) =>
  connected(program, "forward", "Deliver the linked scores to an observability service and acknowledge them.")
    .option("--sink <name...>", `destinations: ${Object.keys(sinkChoices).join(", ")}; default jsonl`)
    .option("--out <file>", "file of the jsonl sink")
    .option("--once", "deliver what is there, then exit")
    .option("--dry-run", "show what would be delivered; deliver and acknowledge nothing")
    .option("--concurrency <number>", "maximum concurrent calls of the sink; default 8")
    .option("--poll-interval <duration>", "time between polls of an empty queue; default 2s")
    .option("--ack-interval <duration>", "longest delay of an acknowledgement; default 1s, at most 10s")
    .option("--sink-timeout <duration>", "timeout of one call of the sink; default 30s")
    .option(
      "--stalled-after <duration>",
      "how long nothing may be delivered before /readyz fails; default 5m",
    )
    .option("--admin-port <port>", "serve /healthz, /readyz and /metrics; 0 picks a free port")
    .option("--admin-host <host>", "the address to serve them on; default 127.0.0.1")
    .option("--include-failed", "also deliver scores that were marked as failed, each once")
    .option("--text <policy>", "texts of scores: include or omit; default omit, for jsonl include")
    .option("--score-name <name>", scoreNameHelp)
    .addHelpText("after", sinkHelp);

const declareMint = (program: Command) =>
  connected(program, "mint", "Mint session-bound show-tokens.")
    .option("--respondent <id>", "who is asked")
    .option("--session <id>", "the session that the rating belongs to")
    .option("--observation <id>", "the observation within the session")
    .option("--task-type <name>", "for segmentation")
    .option("--survey <id>", "only for this survey; default all");

const declarePending = (program: Command) =>
  connected(program, "pending", "List the scores in the queue, oldest first.")
    .option("--include-failed", "also scores that were marked as failed")
    .option("--count", "print only their number");

const declareAck = (program: Command) =>
  connected(
    program,
    "ack [ids...]",
    "Mark scores as delivered or failed; ids are arguments or lines of standard input.",
  )
    .option("--state <state>", "delivered or failed")
    .option(
      "--reason <text>",
      "why they failed, for the results' queue: at most 80 characters, nothing personal",
    )
    .option("--dry-run", "mark nothing");

const declareExport = (program: Command) =>
  connected(program, "export", "Write stored responses as JSON lines; without a selector all of them.")
    .option("--respondent <id>", "of this person")
    .option("--email <address>", "of this imported person")
    .option("--survey <slug>", "of this survey");

const declareErase = (program: Command) =>
  connected(program, "erase", "Erase responses for good.")
    .option("--respondent <id>", "of this person")
    .option("--email <address>", "of this imported person")
    .option("--survey <slug>", "of this survey; with a person, what they said there")
    .option("--account", "everything of the project")
    .option("--sink <name...>", "also the person's scores there")
    .option(
      "--forwarder-hold <duration>",
      "how long a running forwarder may still push; default 2m; use 0s if none runs",
    )
    .option("--again <file>", "output of an earlier, incomplete erase, to delete its scores too")
    .option("--out <file>", "file of the jsonl sink")
    .option("--score-name <name>", "the --score-name of forward")
    .option("--dry-run", "count what would be erased")
    .option("--yes", "do not ask")
    .addHelpText("after", sinkHelp);

const declareAsk = (program: Command) =>
  connected(program, "ask", "Show a survey in this terminal.")
    .option("--publishable-key <key>", "default AFTERWORD_PUBLISHABLE_KEY")
    .option("--slug <slug>", "which survey; default the first that may be shown")
    .option("--language <tag>", "ask in this language, such as de; default the survey's own words")
    .option("--respondent <id>", "who is asked; default an anonymous conversation")
    .option("--session <id>", "mint first, so that the rating is linked to this session")
    .option("--observation <id>", "the observation within the session")
    .option("--task-type <name>", "for segmentation");

const declareDoctor = (program: Command) =>
  connected(program, "doctor", "Check everything that delivery needs; change nothing.")
    .option("--sink <name...>", "check these sinks")
    .option("--out <file>", "file of the jsonl sink");

function reportError(error: unknown, shell: Shell): ExitCode {
  // Commander has already printed it; --help and --version end here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const isOurs = AfterwordError.isInstance(error);
  const detail = error instanceof Error ? (isOurs ? error.message : error.stack) : String(error);
  shell.writeError(`afterword: ${detail}\n`);
  return exitCodeOf(error);
}
