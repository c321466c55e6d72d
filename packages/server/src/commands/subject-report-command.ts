import * as z from "zod";
import { type ExportQuery } from "@afterword/protocol";
import {
  findProject,
  type Project,
  respondentHash,
  selectionOf,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { defineCommand } from "./define-command.ts";
import { argument } from "./flags.ts";
import { checkOutput, writePrivately } from "./files.ts";
import { counted } from "./table.ts";

/** A misspelt address must not look like a clean record. */
const emailAddress = argument(
  (text) => (z.email().safeParse(text.trim()).success ? text : undefined),
  "This is not an e-mail address.",
);

/**
 * Everything that is stored about one person, for a request of access: an export, and what its rows have no field for.
 * Suppression, asks and runs are kept under keyed hashes, and after an erasure by the day.
 */
async function subjectReport(
  service: OperatedService,
  project: Project,
  query: Pick<ExportQuery, "respondentId" | "email">,
) {
  const { respondentIds = [] } = selectionOf(project, query);
  if (respondentIds.length === 0) throw new UsageError("Name the person: --respondent, --email or both.");
  const identities = respondentIds.map((id) => ({ id, hash: respondentHash(project.pepper, id) }));
  const records = await service.store.administration.subjectRecords(project.id, identities);
  const slugs = new Map(project.surveys.map(({ id, slug }) => [id, slug]));
  const withSlug = <T extends { surveyId: string; at: number }>(row: T) => ({
    ...row,
    at: timestamp(row.at),
    surveySlug: slugs.get(row.surveyId),
  });
  return {
    projectId: project.id,
    createdAt: timestamp(service.clock.now()),
    respondentIds,
    responses: records.responses.map((row) => ({
      ...withSlug(row),
      traits: JSON.parse(row.traits ?? "null") as unknown,
      run: JSON.parse(row.run ?? "null") as unknown,
    })),
    dismissals: records.dismissals.map(withSlug),
    suppression: records.suppression.map(({ surveyId, answeredAt, dismissedAt, isPermanent }) => ({
      surveyId,
      surveySlug: slugs.get(surveyId),
      ...(answeredAt > 0 && { answeredAt: timestamp(answeredAt) }),
      ...(dismissedAt > 0 && { dismissedAt: timestamp(dismissedAt) }),
      isPermanent,
    })),
    asks: records.asks.map(withSlug),
    runs: records.runs.map(withSlug),
  };
}

export const subjectReportCommand = defineCommand({
  name: "subject-report",
  description: "Print everything stored about a person as JSON: answers, dismissals, sessions, suppression",
  example: "subject-report shop --respondent user-17 --out user-17.json",
  options: (command) =>
    command
      .argument("<project>", "id of the project")
      .option("--respondent <id>", "the person's id as the SDKs send it, or an imp_ id")
      .option("--email <address>", "e-mail address of an imported person", emailAddress)
      .option("--out <file>", "write to a file that only you can read; default: standard output")
      .option("--yes", "replace an existing file without asking"),
  async work(session, projectId) {
    const { service, flags, audit, print, complain } = session;
    const { respondent: respondentId, email, out, json: isJson } = flags;
    if (out !== undefined) await checkOutput(out, session);
    const project = findProject(service.directory, projectId);
    const report = await subjectReport(service, project, { respondentId, email });
    const { responses, dismissals, suppression } = report;
    const counts = { responses: responses.length, dismissals: dismissals.length };
    await audit.reading({ action: "subject-report", ...auditedSelection(project, report), counts });
    const text = JSON.stringify(report, null, isJson ? undefined : 2);
    if (out === undefined) return print(text);
    await writePrivately(out, (append) => append(`${text}\n`));
    complain(
      `Wrote ${counted(responses.length, "response")}, ${counted(dismissals.length, "dismissal")}, ${counted(suppression.length, "suppression")} to ${out}.`,
    );
  },
});
