import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const tested = read("test/package.json") + read("test/sinks/start-servers.sh");

const table = read("docs/node/sinks.md").split("| Sink | A score becomes")[1]!.split("\n\n")[0]!;
const rows = table.split("\n").slice(2);

it.each(rows.map((row) => [/`(\w+)`/.exec(row)![1]!, row.split(" | ").at(-1)!] as const))(
  "the table of sinks names for %s the versions that its tests run with",
  (_, checkedAgainst) => {
    for (const [version] of checkedAgainst.matchAll(/\d+\.\d+\.\d+/g)) expect(tested).toContain(version);
  },
);
