import { InvalidArgumentError, Option } from "commander";
import { groupings, usualPeriod } from "@afterword/results";
import { type DatabaseFlags } from "./database-flags.ts";
import { runResults } from "./run-results.ts";
import { defineCommand, type Session } from "./define-command.ts";

export interface ResultsFlags extends DatabaseFlags {
  project: string;
  survey?: string;
  since: string;
  until?: string;
  timezone: string;
  by?: string;
  baseline?: string;
  compare?: string;
  measuredOnly?: boolean;
  csv?: boolean;
  bom?: boolean;
  digest?: boolean;
  html?: string;
  open?: boolean;
  port: number;
  comments: number;
  sessionUrl?: string;
}

const wholeNumber = (most: number) => (text: string) => {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number <= most) return number;
  throw new InvalidArgumentError(`It is not a whole number from 0 to ${most}.`);
};

export const resultsCommand = defineCommand({
  name: "results",
  description:
    "Show scores with their 95 % intervals, responses and dismissals; with --html or --open as a page with plots",
  example: "results --project shop --since 2026-11-01 --by taskType",
  options: (command) =>
    command
      .requiredOption("--project <id>", "id of the project")
      .option("--survey <survey>", "only this survey, by slug or id; also one that was deleted")
      .option("--since <date>", "from this date or time on; or a duration such as 28d", usualPeriod)
      .option("--until <date>", "through this date, or before this time")
      .option("--timezone <name>", "where days and weeks begin, such as Europe/Berlin", "UTC")
      .option(
        "--by <group>",
        `group the responses: ${groupings.join(", ")}, or the name of a fact of their runs`,
      )
      .option("--baseline <version>", "compare each version of the agent with this one")
      .option(
        "--compare <what>",
        "previous (as much time before --since), or two task types such as refund,invoice",
      )
      .option("--measured-only", "leave out imported responses")
      .addOption(new Option("--csv", "print the result as CSV").conflicts("json"))
      .option("--bom", "begin the CSV with a byte order mark, by which Excel knows UTF-8")
      .addOption(
        new Option("--digest", "print a few lines of Markdown to post, without comments").conflicts([
          "json",
          "csv",
          "by",
        ]),
      )
      .option("--html <file>", "write a page with plots and comments; replaces an earlier one of the project")
      .option("--open", "serve the same page live, on this machine alone, until Ctrl-C")
      .option("--port <port>", "port of --open; 0 picks a free one", wholeNumber(65_535), 0)
      .option(
        "--comments <number>",
        "how many of the latest comments of each survey the page shows",
        wholeNumber(5000),
        100,
      )
      .option(
        "--session-url <template>",
        "link each comment to its run, such as https://runs.example.com/{sessionId}",
      ),
  async work(session: Session<ResultsFlags>) {
    return runResults(session);
  },
});
