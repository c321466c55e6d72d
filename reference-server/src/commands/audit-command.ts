import { createReadStream } from "node:fs";
import { verifyAudit, type FileLine } from "../audit/verify-audit.ts";
import { UsageError } from "../domain/usage-error.ts";
import { counted } from "./counted.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { commandGroup, defineBareCommand, type Run } from "./define-command.ts";
import { exitCodes } from "./exit-code.ts";
import { masterKeysOf } from "./master-keys-of.ts";

interface VerifyFlags extends DatabaseFlags {
  earlierDeleted?: boolean;
}

/** Longer ones are cut, and then no line of the audit. */
const longestLineInBytes = 16 * 1024 ** 2;

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new UsageError(`Could not read ${file}: ${(error as Error).message}.`, { cause: error });
  }
}

/** The lines of files one after the other, in constant memory. */
async function* linesOf(files: readonly string[]): AsyncGenerator<FileLine> {
  for (const file of files) {
    let [number, size] = [0, 0];
    let parts: Buffer[] = [];
    const keep = (part: Buffer) => {
      if (size < longestLineInBytes) parts.push(part);
      size += part.length;
    };
    for await (const chunk of chunksOf(file)) {
      let start = 0;
      for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
        keep(chunk.subarray(start, end));
        yield { file, number: ++number, bytes: Buffer.concat(parts) };
        [start, size, parts] = [end + 1, 0, []];
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    }
    if (size > 0) yield { file, number: ++number, bytes: Buffer.concat(parts) };
  }
}

const verify = defineBareCommand({
  name: "audit verify",
  description:
    "Find audit lines that were removed, changed or moved; pass rotated files together, the oldest first",
  example: "audit verify audit.jsonl.1 audit.jsonl",
  options: (command) =>
    command
      .argument("<files...>", "audit files, or logs of standard error")
      .option("--earlier-deleted", "accept chains that begin late, since files before these were deleted"),
  async work(run: Run<VerifyFlags>, files: string[]) {
    const keys = await masterKeysOf(run);
    const report = await verifyAudit(linesOf(files), keys, run.flags.earlierDeleted);
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
