import { InvalidArgumentError, Option, type Command } from "commander";
import {
  defaultRetention,
  forgetOldData,
  type Forgotten,
  type RetentionPolicy,
} from "../domain/retention.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Service } from "../domain/service.ts";
import { heldClock, heldClockAdvice } from "../operations/examine.ts";
import { auditOf } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { administrationCommand } from "./database-flags.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

function days(text: string): number {
  if (/^(0|[1-9][0-9]{0,4})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a whole number of days; 0 keeps everything.");
}

/** How long data is kept; `serve` and `retention` take the same flags. */
export function retentionOptions(): Option[] {
  const { responseRetentionDays, textRetentionDays, failedTextRetentionDays, runRetentionDays } =
    defaultRetention;
  return [
    new Option(
      "--response-retention-days <days>",
      "age at which responses and dismissals are deleted; 0 keeps them",
    )
      .env("AFTERWORD_RESPONSE_RETENTION_DAYS")
      .argParser(days)
      .default(responseRetentionDays),
    new Option(
      "--text-retention-days <days>",
      "age at which texts are deleted while ratings stay; 0 keeps them",
    )
      .env("AFTERWORD_TEXT_RETENTION_DAYS")
      .argParser(days)
      .default(textRetentionDays),
    new Option(
      "--failed-text-retention-days <days>",
      "the same for texts whose score a sink refused for good",
    )
      .env("AFTERWORD_FAILED_TEXT_RETENTION_DAYS")
      .argParser(days)
      .default(failedTextRetentionDays),
    new Option(
      "--run-retention-days <days>",
      "age at which is forgotten which runs a person has rated; 0 keeps them",
    )
      .env("AFTERWORD_RUN_RETENTION_DAYS")
      .argParser(days)
      .default(runRetentionDays),
  ];
}

interface RetentionFlags extends ServiceFlags, RetentionPolicy {
  acceptClock?: boolean;
  yes?: boolean;
}

/** @throws UsageError when the clock may be wrong */
async function assertClock({ deletionClock }: Service): Promise<void> {
  const reading = await deletionClock.read();
  if (!reading.isHeld) return;
  const now = new Date(reading.now).toISOString();
  throw new UsageError(`The clock says ${now}, ${heldClock(reading)}. ${heldClockAdvice}`);
}

/** `retention`: runs the nightly clean-up of `serve` now. */
export function retentionCommand(terminal: Terminal): Command {
  const command = administrationCommand(
    "retention",
    "Delete data older than the retention periods, as `serve` does each night",
    "retention --text-retention-days 90 --yes",
  );
  for (const option of retentionOptions()) command.addOption(option);
  const acceptClock = "trust a clock that is far ahead of the last clean-up, also in a running server";
  command.option("--accept-clock", acceptClock).option("--yes", "do not ask for confirmation");
  return command.action(async (flags: RetentionFlags) => {
    const { responseRetentionDays, textRetentionDays, failedTextRetentionDays, runRetentionDays } = flags;
    const age = (number: number) => `${number || "any number of"} days`;
    const consequence =
      `Responses older than ${age(responseRetentionDays)}, texts older than ${age(textRetentionDays)}, texts of ` +
      `failed scores older than ${age(failedTextRetentionDays)} and records of rated runs older than ` +
      `${age(runRetentionDays ?? defaultRetention.runRetentionDays)} will be permanently deleted.`;
    const hasAcceptedClock = flags.acceptClock === true;
    const everything = { respondents: [], isWholeProject: true, hasAcceptedClock, counts: {} };
    const intent = { action: "retention", ...everything } as const;
    const showProgress = progressOf(terminal, "Deleting rows:");
    let interruption: AbortSignal | undefined;
    const forgotten = await withService(flags, terminal, async (service) => {
      if (!flags.acceptClock) await assertClock(service);
      await confirm(terminal, flags.yes, consequence, "forget");
      interruption = terminal.onInterrupt();
      const policy = { responseRetentionDays, textRetentionDays, failedTextRetentionDays, runRetentionDays };
      return auditOf(terminal, flags, "retention").change(intent, async (learn) => {
        const onProgress = (sum: Forgotten) => {
          learn({ counts: { ...sum } });
          showProgress(Object.values(sum).reduce((total, count) => total + count));
        };
        const now = await service.deletionClock.accept();
        const sum = await forgetOldData(service, policy, { now, signal: interruption, onProgress });
        learn({ counts: { ...sum } });
        return sum;
      });
    });
    terminal.showProgress("");
    const { responsesDeleted, dismissalsDeleted, textsRemoved, runsForgotten } = forgotten;
    const told =
      `Deleted ${responsesDeleted} responses and ${dismissalsDeleted} dismissals, removed ${textsRemoved} texts, ` +
      `forgot ${runsForgotten} runs.`;
    terminal.print(flags.json ? JSON.stringify(forgotten) : told);
    interruption?.throwIfAborted();
  });
}
