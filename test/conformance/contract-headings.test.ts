import { readFileSync } from "node:fs";
import { clientClauses, serverClauses } from "@afterword/conformance";
import { describe, expect, it } from "vitest";

const contract = readFileSync(new URL("../../packages/protocol/README.md", import.meta.url), "utf8");
const rules = contract.slice(contract.indexOf("## 1. Purpose"), contract.indexOf("## Changing the contract"));
const headings = [...rules.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading!);
const clauses = [...serverClauses, ...Object.values(clientClauses).flat()];

/** Clauses about endpoints and extensions show what these say, or they have no rule that can be seen from outside. */
const shownElsewhere = [
  "2. Shapes",
  "2.1 SurveyDefinition",
  "2.5 DismissalBody",
  "2.6 IngestOk",
  "2.9 EraseReply",
  "3. States",
  "3.3 Survey",
  "4.9 Aliases",
  "6. Events",
  "Extensions",
  "Reports",
];

describe("the kit's clauses", () => {
  it("are under headings of the contract, and all but these few have one", () => {
    const named = new Set(clauses.map(({ at }) => at));
    expect([...named].filter((heading) => !headings.includes(heading))).toEqual([]);
    expect(headings.filter((heading) => !named.has(heading))).toEqual(shownElsewhere);
  });

  it("have different titles", () => {
    for (const list of [serverClauses, ...Object.values(clientClauses)])
      expect(new Set(list.map(({ title }) => title)).size).toBe(list.length);
  });
});
