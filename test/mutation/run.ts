// Changes the sources of each group, one place at a time, and runs the group's tests: `pnpm mutate [--concurrency 1] [group …]`.
// A run continues where the last one has ended. `--force` begins anew: without it, Stryker keeps its verdict about constants of a
// module when only tests have changed. Texts are not changed (StringLiteral): most are for people. The result is in
// coverage/mutation/result.json. The exit code is 1 when a score is too low, or when survivors.json does not give a reason for a
// mutant that no test has noticed.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { groups } from "./groups.ts";
import { judge, type Report } from "./judge.ts";

const leastScore = 85;
const root = fileURLToPath(new URL("../..", import.meta.url));
const out = `${root}coverage/mutation`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: "string", default: String(availableParallelism()) },
    force: { type: "boolean", default: false },
  },
});

/** Runs Stryker on a group and returns its report; exits if it could not run. */
function mutate(name: string): Report {
  const stryker = "test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js";
  const options = {
    mutate: groups[name]!.mutate.join(","),
    concurrency: values.concurrency,
    incrementalFile: `coverage/mutation/${name}.json`,
  };
  const given = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]);
  const force = values.force ? ["--force"] : [];
  const { status } = spawnSync(
    process.execPath,
    [stryker, "run", "test/mutation/stryker.config.json", ...given, ...force],
    { cwd: root, stdio: "inherit", env: { ...process.env, MUTATED_GROUP: name } },
  );
  if (status !== 0) process.exit(2);
  return JSON.parse(readFileSync(`${out}/report.json`, "utf8")) as Report;
}

const versionOf = (file: string) =>
  (JSON.parse(readFileSync(`${root}${file}/package.json`, "utf8")) as { version: string }).version;

const names = positionals.length > 0 ? positionals : Object.keys(groups);
const unknown = names.find((name) => !(name in groups));
if (unknown) throw new Error(`no group is called ${unknown}: choose ${Object.keys(groups).join(", ")}`);
mkdirSync(out, { recursive: true });
const results = names.map((name) => ({ group: name, ...judge(mutate(name)) }));
const failures = results.flatMap(({ group, score, unexplained }) => [
  ...(score < leastScore ? [`${group}: ${score} %, and at least ${leastScore} % is required`] : []),
  ...unexplained.map((mutant) => `${group}: no test fails, and no reason is listed: ${mutant}`),
]);
const versions = {
  node: process.version,
  stryker: versionOf("test/mutation/node_modules/@stryker-mutator/core"),
  vitest: versionOf("node_modules/vitest"),
};
const result = { at: new Date().toISOString(), versions, leastScore, passed: failures.length === 0, results };
writeFileSync(`${out}/result.json`, JSON.stringify(result, null, 2));
console.table(
  Object.fromEntries(results.map(({ group, mutants, killed, score }) => [group, { mutants, killed, score }])),
);
for (const failure of failures) console.error(failure);
const least = Math.min(...results.map(({ score }) => score));
console.log(`At least ${least} % of the faults of each group are noticed.`);
process.exitCode = failures.length > 0 ? 1 : 0;
