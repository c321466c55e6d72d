import { Option } from "@commander-js/extra-typings";
import { dayInMs, durationInMs } from "@afterword/protocol/duration";
import { findProject, findSurvey, timestamp, UsageError } from "@afterword/reference-server/internal";
import {
  countText,
  isolated,
  minuteText,
  momentOf,
  scoreText,
  utc,
  watchedScore,
  type WatchedSide,
} from "@afterword/results";
import { defineCommand } from "./define-command.ts";
import { argument } from "./flags.ts";
import { table } from "./table.ts";
import { exitCodes } from "./terminal.ts";

/** @throws UsageError for a moment that has not come */
function beginning(from: string | undefined, now: number): number | undefined {
  if (from === undefined) return undefined;
  const moment = momentOf(from, "--from", utc);
  if (moment <= now) return moment;
  throw new UsageError(`--from ${from} is in the future: pass the moment since which the score is watched.`);
}

export const watchCommand = defineCommand({
  name: "watch",
  description:
    "Compare a survey's score since a version's first answer with the time before; may run every minute, with at most 5 % false alarms per comparison",
  example: "watch --project shop --survey satisfaction --baseline 28d",
  options: (command) =>
    command
      .requiredOption("--project <id>", "id of the project")
      .requiredOption("--survey <survey>", "the survey, by slug or id")
      .addOption(
        new Option("--baseline <duration>", "how much time before the version's first answer to compare with")
          .default(28 * dayInMs, "28d")
          .argParser(argument(durationInMs, "Pass a duration such as 28d or 12h. It must be more than 0.")),
      )
      .option("--run-version <version>", "version of the runs; default: the one with the latest first answer")
      .addOption(
        new Option(
          "--from <date>",
          "compare by time, from this date or time on, in UTC; whatever the version",
        ).conflicts("runVersion"),
      )
      .option("--stratum <name>", "only runs of this stratum of the survey's sampling"),
  async work({ service, flags, giveWay }) {
    const project = findProject(service.directory, flags.project);
    const survey = findSurvey(project, flags.survey);
    const from = beginning(flags.from, service.clock.now());
    // Reading takes seconds of a processor, during which submits must not wait.
    giveWay();
    const { baseline: baselineInMs, runVersion: version, stratum } = flags;
    const { store, clock } = service;
    const query = { baselineInMs, version, from, stratum };
    const watched = await watchedScore(store.administration, clock, project.id, survey, query);
    const { name, score, baseline, droppedAt } = watched;
    const text = (value: number) => scoreText(name, value);
    const row = (side: string, { value, low, high, people }: WatchedSide) => [
      side,
      countText(people),
      value === null ? undefined : text(value),
      low > high ? "none: the score has changed meanwhile" : `${text(low)} to ${text(high)}`,
    ];
    const label = watched.version === undefined ? "since" : isolated(watched.version);
    const of = watched.version === undefined ? "" : `, version ${label}`;
    const title = `${survey.slug} of ${project.id}${of}, since ${minuteText(watched.from, utc)}`;
    const heading = ["answers", "people", name, "95 % interval"];
    const isDropped = droppedAt !== undefined;
    return {
      json: {
        project: project.id,
        survey: survey.slug,
        version: watched.version ?? null,
        stratum: stratum ?? null,
        name,
        baselineFrom: timestamp(watched.from - baselineInMs),
        from: timestamp(watched.from),
        baseline,
        score,
        isDropped,
        droppedAt: isDropped ? timestamp(droppedAt) : null,
      },
      lines: [
        title,
        table(heading, [row("before", baseline), row(label, score)]),
        isDropped
          ? `Dropped: since ${minuteText(droppedAt, utc)} the score's interval is below the one before.`
          : "No drop so far.",
      ],
      exitCode: isDropped ? exitCodes.dropped : exitCodes.done,
    };
  },
});
