import { SchemaMismatch } from "@afterword/reference-server/internal";
import { type OperatedService } from "../administration/operated-service.ts";
import { finding, type Finding } from "../store/administration.ts";
import {
  examineAddress,
  examineClock,
  examineDisk,
  examineFiles,
  examineKeys,
  examineMasterKey,
  examineProjects,
  examineQueues,
  examineRuntime,
  examineSuggestions,
} from "../health/examine.ts";
import { examineSampling } from "../health/examine-sampling.ts";
import { examineServerFiles, recordedServerFiles, type RecordedFiles } from "../health/server-files.ts";
import { defineBareCommand } from "./define-command.ts";
import { erasureLogOption, withDatabaseFlags } from "./flags.ts";
import { exitCodes } from "./terminal.ts";
import { type Session, withService } from "./with-service.ts";

/** A database that cannot be opened or read is a finding; the other checks still run. */
function failedFinding(error: Error): Finding {
  if (!(error instanceof SchemaMismatch)) return finding("database", false, "failed", error.message);
  // A database of another version is neither changed nor read.
  const { found, known, advice } = error.versions;
  return finding("schema version", false, `${found}; this program uses ${known}`, advice);
}

async function examineService(service: OperatedService, isIntegrityAsked?: boolean): Promise<Finding[]> {
  return [
    ...(await service.store.administration.inspect(isIntegrityAsked)),
    ...examineClock(await service.deletionClock.read()),
    examineMasterKey(service),
    ...examineProjects(service),
    ...examineKeys(service),
    ...(await examineQueues(service)),
    ...(await examineSampling(service)),
    ...service.directory.projects.flatMap(({ activeSurveys }) => activeSurveys.flatMap(examineSuggestions)),
  ];
}

function* linesOf(findings: readonly Finding[]): Generator<string> {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { name, isGood, found, advice } of findings) {
    yield `${isGood ? "✓" : "✗"} ${name.padEnd(width)}  ${found}`;
    if (advice) yield `  ${" ".repeat(width)}  → ${advice}`;
  }
  const wrong = findings.filter(({ isGood }) => !isGood).length;
  yield wrong === 0 ? "All is well." : `${wrong} of ${findings.length} checks need attention.`;
}

export const doctorCommand = defineBareCommand({
  name: "doctor",
  description:
    "Check database, versions, settings, clock, keys, queues, sampling and, with --url, the running server",
  example: "doctor --db afterword.db --url https://feedback.example.com",
  options: (command) =>
    withDatabaseFlags(command)
      .addOption(erasureLogOption())
      .option("--url <url>", "public address of the running server")
      .option(
        "--integrity",
        "read a whole SQLite database for damage: minutes for gigabytes, in which its log grows by what is written",
      ),
  async work(run) {
    const { flags, clock, host } = run;
    const { url, db, keyFile, integrity } = flags;
    // They have findings of their own.
    const withoutFiles = { ...run, flags: { ...flags, erasureLog: undefined, auditFile: undefined } };
    let recorded: RecordedFiles | undefined;
    const examine = async ({ service }: Session) => {
      recorded = await recordedServerFiles(service.store);
      return examineService(service, integrity);
    };
    const findings = [
      examineRuntime(),
      ...(await withService(withoutFiles, examine).catch((error: Error) => [failedFinding(error)])),
      ...examineFiles(db, keyFile),
      ...examineDisk(db),
      ...examineServerFiles({ given: flags, recorded, host, clock }),
      ...(url === undefined ? [] : await examineAddress(url, () => clock.now())),
    ];
    const isGood = findings.every((finding) => finding.isGood);
    return {
      json: { isGood, findings },
      lines: [...linesOf(findings)],
      exitCode: isGood ? exitCodes.done : exitCodes.unhealthy,
    };
  },
});
