import { type Command, type OptionValues } from "@commander-js/extra-typings";
import { UsageError } from "@afterword/reference-server/internal";
import { everything } from "../audit/audited-selection.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { heldClock, heldClockAdvice } from "../administration/deletion-clock.ts";
import {
  defaultRetention,
  forgetOldData,
  type Forgotten,
  type RetentionPolicy,
} from "../administration/retention.ts";
import { defineCommand } from "./define-command.ts";
import { confirmedOption, numberArgument, setting } from "./flags.ts";
import { counted } from "./table.ts";
import { confirm, progressOf } from "./terminal.ts";

const days = numberArgument(0, 99_999, "Pass a whole number of days; 0 keeps everything.");

const retentionTexts = {
  "response": "age at which responses, dismissals and counts of runs are deleted; 0 keeps them",
  "text": "age at which texts are deleted while ratings stay; 0 keeps them",
  "failed-text": "age at which texts are deleted if a sink refused their score for good; 0 keeps them",
  "run": "age at which records of rated runs are deleted; 0 keeps them",
};

/** How long data is kept; `serve` and `retention` take the same flags, such as `--text-retention-days`. */
export function withRetentionFlags<Flags extends OptionValues>(command: Command<[], Flags>) {
  for (const [kind, text] of Object.entries(retentionTexts)) {
    const option = setting(`--${kind}-retention-days <days>`, text).argParser(days);
    command.addOption(option.default(defaultRetention[option.attributeName() as keyof RetentionPolicy]));
  }
  return command as Command<[], Flags & Required<RetentionPolicy>>;
}

/** What the command deletes, for its confirmation; 0 days keep what they are about. */
function consequenceOf(policy: Required<RetentionPolicy>): string {
  const kinds = [
    ["responses", policy.responseRetentionDays],
    ["texts", policy.textRetentionDays],
    ["texts of failed scores", policy.failedTextRetentionDays],
    ["records of rated runs", policy.runRetentionDays],
  ] as const;
  const listOf = new Intl.ListFormat("en");
  const deleted = kinds.filter(([, age]) => age > 0).map(([kind, age]) => `${kind} older than ${age} days`);
  const kept = kinds.filter(([, age]) => age === 0).map(([kind]) => kind);
  return [
    deleted.length > 0 ? `Permanently deletes ${listOf.format(deleted)}.` : "Deletes nothing.",
    ...(kept.length > 0 ? [`Not deleted by age: ${listOf.format(kept)}.`] : []),
  ].join(" ");
}

/** @throws UsageError when the clock may be wrong */
async function assertClock({ deletionClock }: OperatedService): Promise<void> {
  const reading = await deletionClock.read();
  if (!reading.isHeld) return;
  const now = new Date(reading.now).toISOString();
  throw new UsageError(`The clock says ${now}, ${heldClock(reading)}. ${heldClockAdvice}`);
}

/** `retention`: runs the nightly clean-up of `serve` now. */
export const retentionCommand = defineCommand({
  name: "retention",
  description: "Delete data older than the retention periods, as `serve` does each night",
  example: "retention --text-retention-days 90 --yes",
  options: (command) =>
    withRetentionFlags(command)
      .option(
        "--clock-is-right",
        "accept the current time although it is far ahead of the last clean-up; a running server accepts it too",
      )
      .addOption(confirmedOption()),
  async work(session) {
    const { service, flags, audit } = session;
    const hasAcceptedClock = flags.clockIsRight === true;
    if (!hasAcceptedClock) await assertClock(service);
    await confirm(session, consequenceOf(flags), "forget");
    const signal = session.onInterrupt();
    const showProgress = progressOf(session, "Deleting rows:");
    const intent = { action: "retention", ...everything, hasAcceptedClock } as const;
    const forgotten = await audit.change(intent, async (addResults) => {
      const onProgress = (sum: Forgotten) => {
        addResults({ counts: { ...sum } });
        showProgress(Object.values(sum).reduce((total, count) => total + count));
      };
      const now = await service.deletionClock.accept();
      const sum = await forgetOldData(service, flags, { now, signal, onProgress });
      addResults({ counts: { ...sum } });
      return sum;
    });
    const { responsesDeleted, dismissalsDeleted, textsRemoved, runsForgotten } = forgotten;
    const summary =
      `Deleted ${counted(responsesDeleted, "response")} and ${counted(dismissalsDeleted, "dismissal")}, removed ${counted(textsRemoved, "text")}, ` +
      `deleted ${counted(runsForgotten, "record")} of rated runs.`;
    return { json: forgotten, lines: [summary], interruption: signal };
  },
});
