import { createReadStream } from "node:fs";
import { verifyAudit, type FileLine } from "../audit/verify-audit.ts";
import { UsageError } from "@afterword/reference-server/internal";
import { commandGroup, defineBareCommand } from "./define-command.ts";
import { withDatabaseFlags } from "./flags.ts";
import { counted } from "./table.ts";
import { exitCodes } from "./terminal.ts";
import { masterKeysOf } from "./with-service.ts";

/** Longer ones are cut, and then no line of the audit. */
const longestLineInBytes = 2 * 1024 ** 2;

/** The lines of files one after the other, in constant memory. @throws UsageError for a file that cannot be read */
async function* linesOf(files: readonly string[]): AsyncGenerator<FileLine> {
  for (const file of files) {
    let [number, rest] = [0, Buffer.alloc(0)];
    try {
      for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
        const bytes = Buffer.concat([rest, chunk]);
        let start = 0;
        for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", start)) {
          yield { file, number: ++number, bytes: bytes.subarray(start, end) };
          start = end + 1;
        }
        rest = bytes.subarray(start, start + longestLineInBytes);
      }
    } catch (error) {
      throw new UsageError(`Could not read ${file}: ${(error as Error).message}.`, { cause: error });
    }
    if (rest.length > 0) yield { file, number: ++number, bytes: rest };
  }
}

const verify = defineBareCommand({
  name: "audit verify",
  description:
    "Find audit lines that were removed, changed or moved; pass rotated files together, the oldest first",
  example: "audit verify audit.jsonl.1 audit.jsonl",
  options: (command) =>
    withDatabaseFlags(command)
      .argument("<files...>", "audit files, or logs of standard error")
      .option("--earlier-deleted", "accept chains that begin late, since files before these were deleted"),
  async work(run, files) {
    const report = await verifyAudit(linesOf(files), await masterKeysOf(run), run.flags.earlierDeleted);
    if (report.lines === 0) throw new UsageError(`${files.join(", ")}: no audit line of this server.`);
    const { faults, faultCount } = report;
    const isGood = faultCount === 0;
    const more = faultCount - faults.length;
    return {
      json: { isGood, ...report },
      lines: [
        ...faults.map(({ file, line, fault }) => `${file}:${line} ${fault}`),
        ...(more > 0 ? [`... and ${counted(more, "other fault")}`] : []),
        `${counted(report.lines, "line")} of ${counted(report.chains.length, "process", "processes")}: ` +
          (isGood ? "all are as they were written." : `${counted(faultCount, "fault")}.`),
        ...report.chains.map(
          ({ id, first, last, head }) => `Chain ${id}: lines ${first} to ${last}, head ${head}.`,
        ),
      ],
      exitCode: isGood ? exitCodes.done : exitCodes.unhealthy,
    };
  },
});

export const auditCommands = commandGroup("audit", "Check audit lines", verify);
