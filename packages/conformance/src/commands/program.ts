import { Command, CommanderError, Option } from "commander";
import { CannotRun } from "../service/cannot-run.ts";
import { extensions } from "../clauses/clause.ts";
import { holdClient } from "./hold-client.ts";
import { holdServer } from "./hold-server.ts";
import { withReports } from "./reports.ts";
import { exitCodes, type ExitCode, type Shell } from "./shell.ts";

const help = `
The server needs the surveys of --print-setup, in two projects. Without the second one, a limited key, an
expired token, an allowed origin or --disposable-project, some clauses are not testable. Flags of keys and address can be variables instead:
AFTERWORD_BASE_URL, AFTERWORD_PUBLISHABLE_KEY, AFTERWORD_SECRET_KEY, AFTERWORD_SECOND_PUBLISHABLE_KEY,
AFTERWORD_SECOND_SECRET_KEY, AFTERWORD_MINT_KEY, AFTERWORD_EXPIRED_TOKEN.

Exit codes:
  0  every clause that was tested has passed
  1  a clause has failed
  2  cannot run: a wrong flag or key, no server, another kind of server, or data that looks like production`;

const setting = (flags: string, description: string) =>
  new Option(flags, description).env(
    `AFTERWORD_${/--([a-z-]+)/.exec(flags)![1]!.replaceAll("-", "_").toUpperCase()}`,
  );

function declareServer(program: Command): Command {
  return withReports(program)
    .addOption(setting("--base-url <url>", "address of the server"))
    .addOption(setting("--publishable-key <key>", "publishable key of the first project"))
    .addOption(setting("--secret-key <key>", "its secret key"))
    .addOption(setting("--second-publishable-key <key>", "publishable key of the second project"))
    .addOption(setting("--second-secret-key <key>", "its secret key"))
    .addOption(setting("--mint-key <key>", "a secret key of the first project, limited to the scope mint"))
    .addOption(setting("--expired-token <token>", "a token of the first project, unused, that has expired"))
    .option("--allowed-origin <origin>", "an origin that the first project allows")
    .option("--disposable-project", "purge surveys and the account of the second project")
    .option("--without <names>", `what the server does not offer: ${extensions.join(",")}`)
    .option("--section <numbers>", "run the clauses of these sections only, such as 4.2,Leases")
    .option("--print-setup", "print the projects and surveys that the server must have")
    .option("--yes", "run although a project looks like production");
}

const clientHelp = `
The command runs once for each clause. It finds what to do in variables: AFTERWORD_BASE_URL, AFTERWORD_SECRET_KEY,
AFTERWORD_PUBLISHABLE_KEY, AFTERWORD_SINK_URL, AFTERWORD_ROLE and AFTERWORD_TASK, a JSON object. docs/reference/conformance.md
says what it prints.`;

function declareClient(program: Command): Command {
  const client = program
    .command("client")
    .description("Hold a client to the contract: a page, a minter or a forwarder");
  return withReports(client)
    .option("--role <list>", "what the command plays: mint, page, forward; default: all, one after the other")
    .argument("<command...>", "the program that plays it, after --")
    .passThroughOptions()
    .addHelpText("after", clientHelp);
}

function reportError(error: unknown, shell: Shell): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes.cannotRun;
  shell.writeError(`afterword-conformance: ${error instanceof CannotRun ? error.message : String(error)}\n`);
  return exitCodes.cannotRun;
}

/** Runs the program with these arguments, without touching the process. */
export async function runProgram(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.passed;
  const program = new Command("afterword-conformance")
    .description("Holds a server or a client to Afterword's contract.")
    .version(shell.version)
    .exitOverride()
    .configureOutput({ writeOut: shell.writeOut, writeErr: shell.writeError })
    .enablePositionalOptions()
    .addHelpText("after", help);
  declareServer(program).action(async (flags) => void (exitCode = await holdServer(flags, shell)));
  declareClient(program).action(
    async (command, flags) => void (exitCode = await holdClient(command, flags, shell)),
  );
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    return reportError(error, shell);
  }
}
