import { InvalidArgumentError, type Command } from "commander";
import * as z from "zod";
import { auditedSelection } from "../domain/selection.ts";
import { findProject } from "../domain/manage-projects.ts";
import { subjectReport } from "../domain/subject-report.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { checkOutput } from "./output-file.ts";
import { writePrivately } from "./private-file.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface ReportFlags extends ServiceFlags {
  respondent?: string;
  email?: string;
  out?: string;
}

/** A misspelt address must not look like a clean record (decision D102). */
function emailAddress(text: string): string {
  if (z.email().safeParse(text.trim()).success) return text;
  throw new InvalidArgumentError("This is not an e-mail address.");
}

export function subjectReportCommand(terminal: Terminal): Command {
  return administrationCommand(
    "subject-report",
    "Print everything stored about a person as JSON: answers, dismissals, sessions, suppression",
    "subject-report shop --respondent user-17 --out user-17.json",
  )
    .argument("<project>", "id of the project")
    .option("--respondent <id>", "the person's id as the SDKs send it, or an imp_ id")
    .option("--email <address>", "e-mail address of an imported person", emailAddress)
    .option("--out <file>", "write to a file that only you can read; default: standard output")
    .option("--yes", "replace an existing file without asking")
    .action(async (project: string, flags: ReportFlags) => {
      const query = { respondentId: flags.respondent, email: flags.email };
      const { out } = flags;
      if (out !== undefined) await checkOutput(out, flags, terminal);
      const report = await withService(flags, terminal, async (service) => {
        const found = findProject(service.directory, project);
        const made = await subjectReport(service, found, query);
        const counts = { responses: made.responses.length, dismissals: made.dismissals.length };
        const about = { projectId: project, ...auditedSelection(found, query), counts };
        await auditOf(terminal, flags, "subject-report").reading({ action: "subject-report", ...about });
        return made;
      });
      const text = flags.json ? JSON.stringify(report) : JSON.stringify(report, null, 2);
      if (out === undefined) return terminal.print(text);
      await writePrivately(out, (append) => append(`${text}\n`));
      const { responses, dismissals, suppression } = report;
      const counts = `${responses.length} responses, ${dismissals.length} dismissals, ${suppression.length} suppressions`;
      terminal.complain(`Wrote ${counts} to ${out}.`);
    });
}
