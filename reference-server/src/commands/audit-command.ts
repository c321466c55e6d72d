import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
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

async function linesOf(file: string): Promise<FileLine[]> {
  if (!existsSync(file)) throw new UsageError(`${file} does not exist.`);
  const lines: FileLine[] = [];
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    lines.push({ file, number: ++number, text });
  return lines;
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
    const lines = (await Promise.all(files.map(linesOf))).flat();
    const report = verifyAudit(lines, keys, run.flags.earlierDeleted);
    if (report.lines === 0) throw new UsageError(`${files.join(", ")}: no audit line of this server.`);
    const isGood = report.faults.length === 0;
    return {
      json: { isGood, ...report },
      lines: [
        ...report.faults.map(({ file, line, fault }) => `${file}:${line} ${fault}`),
        `${counted(report.lines, "line")} of ${counted(report.chains.length, "process", "processes")}: ` +
          (isGood ? "all are as they were written." : `${counted(report.faults.length, "fault")}.`),
        ...report.chains.map(
          ({ id, first, last, head }) => `Chain ${id}: lines ${first} to ${last}, head ${head}.`,
        ),
      ],
      exitCode: isGood ? exitCodes.done : exitCodes.unhealthy,
    };
  },
});

export const auditCommands = commandGroup("audit", "Check audit lines", verify);
