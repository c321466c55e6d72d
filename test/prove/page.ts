import { cpus, release, totalmem, type } from "node:os";
import type { ProofRecord } from "./prove.ts";
import type { Proof } from "./proofs.ts";

const duration = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;

const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
  `${type()} ${release()}, Node ${process.versions.node}`;

/** The page of the last full run. */
export function proofsPage(proofs: Proof[], records: ProofRecord[]): string {
  const commit = records[0]!.commit;
  const days = records.map(({ startedAt }) => startedAt.slice(0, 10)).sort();
  const period = days[0] === days.at(-1) ? days[0]! : `${days[0]} to ${days.at(-1)}`;
  const sum = records.reduce((total, { seconds }) => total + seconds, 0);
  const rows = proofs.map(({ name, shows }) => {
    const record = records.find((one) => one.name === name)!;
    const result =
      record.outcome === "not run" ? "not run: what it needs is not on this machine" : record.result;
    return `| \`${name}\` | ${shows} | ${result.replaceAll("|", "\\|")} | ${duration(record.seconds)} |`;
  });
  return `---
title: The last full run of the proofs
description: What pnpm prove found, with commit, date and machine.
---

# The last full run of the proofs

\`npx -y pnpm@12 prove\` wrote this page when none of the [proofs](proofs.md) had failed on commit \`${commit.slice(0, 12)}\`, ${period}:
${machine()}. The proofs took ${duration(sum)} in all.

| proof | what it shows | result | took |
|---|---|---|---|
${rows.join("\n")}
`;
}
