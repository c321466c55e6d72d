import { fileURLToPath } from "node:url";
import {
  clientClauses,
  ClientUnderTest,
  type Role,
  roles,
  runClauses,
  runProgram,
} from "@afterword/conformance";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bundleOnce } from "../faults/bundle-once.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What a client does wrong, in which role, how the title of the clause begins that fails, and what it says. */
const faults: [fault: string, role: Role, fails: string, saying: string][] = [
  ["key in the query", "mint", "a minter sends respondent", "the secret key is in the query"],
  ["no patience", "mint", "after a 429 the minter", "the client came back"],
  ["no refusal is final", "mint", "a refusal is final", "after 401"],
  ["no text", "page", "a page sends token", "-   'quick'"],
  ["every 409 is stored", "page", "a 409 to the first attempt", "is shown as stored"],
  ["another answer the second time", "page", "a submit whose reply is lost", "says something else"],
  ["no patience", "page", "after a 429 the page", "the client came back"],
  ["everyone is asked", "page", "a survey is shown when", 'targeting [{"trait":"missing"'],
  ["numbers in texts are numbers", "page", "a survey is shown when", '"gt","value":"5"'],
  ["no patience", "forward", "after a 429 the forwarder", "the client came back"],
  ["everything is delivered", "forward", "a score that the destination refuses for good", "as delivered"],
  ["a score is delivered as failed", "forward", "a forwarder begins without a cursor", "-   '"],
];

let client: string;
beforeAll(async () => void (client = await bundleOnce(at("clients/node-client.ts"), "test")));
afterEach(() => vi.unstubAllEnvs());

async function run(args: string[], signal = new AbortController().signal) {
  const written = { out: "", error: "" };
  const exitCode = await runProgram(["client", ...args], {
    version: "0",
    writeOut: (text) => void (written.out += text),
    writeError: (text) => void (written.error += text),
    writeFile: () => undefined,
    wait: async () => undefined,
    randomId: () => "random",
    signal,
  });
  return { exitCode, ...written };
}

describe("a client with a fault", () => {
  it.each(roles)(
    "fails every clause of a %s when it prints nothing and ends with 1",
    { timeout: 120_000 },
    async (role) => {
      const results = await runClauses({
        clauses: clientClauses[role],
        subject: new ClientUnderTest(["false"], role),
      });
      expect(results.filter(({ outcome }) => outcome !== "failed")).toEqual([]);
      for (const { detail } of results) expect(detail).toMatch(/^the command has ended with exit code 1/);
    },
  );

  it.each(faults)("%s, as %s, fails where %s", { timeout: 120_000 }, async (fault, role, fails, saying) => {
    vi.stubEnv("CLIENT_FAULT", fault);
    const clauses = clientClauses[role].filter(({ title }) => title.startsWith(fails));
    const command = [process.execPath, "--import", at("clients/broken-fetch.mjs"), client];
    const results = await runClauses({ clauses, subject: new ClientUnderTest(command, role) });
    expect(results).toMatchObject([{ outcome: "failed", detail: expect.stringContaining(saying) }]);
  });
});

describe("the program, for a client", () => {
  it("ends with exit code 0 where every clause passes", async () => {
    const { exitCode, out } = await run(["--role", "mint", "--", process.execPath, client]);
    expect([exitCode, out]).toEqual([0, expect.stringContaining("8 passed, 0 failed")]);
  });

  it("plays all roles where none is named, and ends with exit code 1 where a clause fails", async () => {
    const { exitCode, out } = await run(["--json", "--", "true"]);
    const { passed, failed, notTestable, clauses } = JSON.parse(out);
    expect(exitCode).toBe(1);
    expect(failed).toBeGreaterThan(10);
    expect(passed + failed + notTestable).toBe(Object.values(clientClauses).flat().length);
    expect(clauses[0]).toMatchObject({ section: "4.4", outcome: "failed", detail: expect.any(String) });
  });

  it("ends the command and itself at Ctrl-C", async () => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 500);
    const { exitCode, error } = await run(["--role", "page", "--", "sleep", "40"], controller.signal);
    clearTimeout(timer);
    expect([exitCode, error]).toEqual([2, "afterword-conformance: interrupted\n"]);
  });
});
