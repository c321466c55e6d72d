import { readFileSync } from "node:fs";
import { clientClauses, serverClauses } from "@afterword/conformance";
import { type EndpointKey } from "@afterword/protocol";
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

/** The clause that keeps two projects apart at each endpoint: a new endpoint does not compile without its row. */
const isolated: Record<EndpointKey, string> = {
  "POST /v1/sdk/bootstrap": "every key belongs to one project",
  "GET /v1/definitions": "every key belongs to one project",
  "POST /v1/sdk/tokens": "every key belongs to one project",
  "GET /v1/privacy/export": "every key belongs to one project",
  "DELETE /v1/privacy/erase": "every key belongs to one project",
  "POST /v1/sdk/responses": "a token of another project",
  "POST /v1/responses": "a token of another project",
  "POST /v1/dismissals": "a token of another project",
  "GET /v1/sdk/pending-scores": "a cursor of another project",
  "POST /v1/sdk/pending-scores/ack": "another project's score",
  "POST /v1/sdk/tokens/check": "a check says fresh or used and changes nothing; a forged or foreign token",
  "POST /v1/shown":
    "a report that a survey was shown is 202 and keeps the token fresh; a forged or foreign one",
};

it.each(Object.entries(isolated))("at %s another project is kept out by a clause", (_, beginning) =>
  expect(serverClauses.filter(({ title }) => title.startsWith(beginning))).toHaveLength(1),
);
