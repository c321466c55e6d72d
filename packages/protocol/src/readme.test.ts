import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endpoints, problems, problemsOf, type EndpointKey } from "./index.ts";
import { isRetryableStatus } from "./retryable-status.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const section = (number: string) => readme.split(`### ${number} `)[1]!.split(/\n##+ /)[0]!;

/** The codes after "Codes:" in a section; 4.2 and 4.3 begin with those of 4.1. */
function codesIn(text: string): string[] {
  return [...text.slice(text.indexOf("- Codes:")).matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code]) => code!);
}

const sections: [string, EndpointKey][] = [
  ["4.1", "POST /v1/sdk/bootstrap"],
  ["4.2", "POST /v1/sdk/responses"],
  ["4.3", "POST /v1/dismissals"],
  ["4.4", "POST /v1/sdk/tokens"],
  ["4.5", "GET /v1/sdk/pending-scores"],
  ["4.6", "POST /v1/sdk/pending-scores/ack"],
  ["4.7", "GET /v1/privacy/export"],
  ["4.8", "DELETE /v1/privacy/erase"],
  ["4.10", "POST /v1/sdk/tokens/check"],
  ["4.11", "POST /v1/shown"],
];

describe("the contract in the README", () => {
  it("lists every problem with its status and whether a retry can help", () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` \| (\d{3}) \| (yes|no) \|/gm)];
    expect(rows.map(([, code, status, retry]) => [code, Number(status), retry === "yes"])).toEqual(
      Object.entries(problems).map(([code, { status }]) => [code, status, isRetryableStatus(status)]),
    );
  });

  it.each(Object.keys(endpoints))("names %s", (key) => expect(readme).toContain(`| \`${key}\` |`));

  it.each(sections)("section %s lists the problems of %s", (number, key) => {
    const own = codesIn(section(number));
    const inherited = ["4.2", "4.3", "4.10", "4.11"].includes(number) ? codesIn(section("4.1")) : [];
    const told = new Set([...own, ...inherited, "internal_error", "unavailable"]);
    expect([...told].toSorted()).toEqual(problemsOf(endpoints[key]).toSorted());
  });
});
