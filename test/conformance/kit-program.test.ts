import { ApiClient, runProgram } from "@afterword/conformance";
import { startServer, type RunningServer, type ServerConfig } from "@afterword/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import { kitConfig } from "./api/contract.suite.ts";
import { keysOf, project, survey } from "./api/projects.ts";

const { rateLimits, projects } = kitConfig as unknown as ServerConfig;
const [first, second] = [projects[0]!, projects[1]!];
/** The kit's surveys and one of a customer. */
const shop = project("shop", { surveys: [...first.surveys, survey("own")] });

let server: RunningServer;
/** Answers everything with the page of another program. */
let stranger: Awaited<ReturnType<typeof serveLocally>>;

beforeAll(async () => {
  server = await startServer({ config: { rateLimits, projects: [first, second, shop] } });
  stranger = await serveLocally((_request, response) => void response.end("<h1>Hello"));
});
afterAll(async () => {
  await server.close();
  await stranger.close();
});

async function run(...args: string[]) {
  const written = { out: "", error: "", files: {} as Record<string, string> };
  const exitCode = await runProgram(args, {
    version: "0",
    writeOut: (text) => void (written.out += text),
    writeError: (text) => void (written.error += text),
    writeFile: (path, text) => void (written.files[path] = text),
    wait: async () => undefined,
    randomId: () => "random",
    signal: new AbortController().signal,
  });
  return { exitCode, ...written };
}

const keys = ({ publishableKey, secretKey } = keysOf(first.id)) =>
  ["--publishable-key", publishableKey, "--secret-key", secretKey] as const;
const at = (baseUrl = server.url) => ["--base-url", baseUrl, "--section", "2.7,4.6,9"] as const;

describe("a run that cannot begin ends with one line, exit code 2, and nothing written", () => {
  const refusalOf = async (...args: string[]) => {
    const { exitCode, error, out } = await run(...args);
    expect([exitCode, out, error.trim().split("\n").length]).toEqual([2, "", 1]);
    for (const id of [first.id, second.id, "shop"])
      expect((await new ApiClient(server.url, keysOf(id)).export()).json.count).toBe(0);
    return error;
  };
  const wrong = { publishableKey: "aw_pk_wrong", secretKey: "aw_sk_wrong" };

  it("for a wrong key of each kind", async () => {
    const { publishableKey, secretKey } = keysOf(first.id);
    const [noPage, noServer] = [
      { ...wrong, secretKey },
      { ...wrong, publishableKey },
    ];
    expect(await refusalOf(...at(), ...keys(noPage))).toMatch(/publishable key is refused with 401/);
    expect(await refusalOf(...at(), ...keys(noServer))).toMatch(/secret key is refused with 401/);
  });

  it("for keys of two projects", async () => {
    const mixed = { ...keysOf(first.id), secretKey: keysOf(second.id).secretKey };
    expect(await refusalOf(...at(), ...keys(mixed))).toMatch(/not of one project/);
  });

  it("for a server that is down", async () => {
    expect(await refusalOf(...at("http://127.0.0.1:1"), ...keys())).toMatch(/cannot reach .*ECONNREFUSED/);
  });

  it("for another kind of server", async () => {
    const refusal = await refusalOf(...at(stranger.url), ...keys());
    expect(refusal).toMatch(/no server of this contract/);
  });

  it("for a project that lacks the surveys, or looks like production", async () => {
    expect(await refusalOf(...at(), ...keys(keysOf(second.id)))).toMatch(/lacks nps/);
    expect(await refusalOf(...at(), ...keys(keysOf("shop")))).toMatch(/looks like production/);
  });

  it("for flags that are missing or unknown", async () => {
    expect(await refusalOf()).toMatch(/pass --base-url/);
    expect(await refusalOf(...at())).toMatch(/pass --publishable-key/);
    expect(await refusalOf(...at(), ...keys(), "--without", "x")).toMatch(/--without knows no "x"/);
    expect(await refusalOf("--nonsense")).toMatch(/unknown option/);
    expect(await refusalOf("client", "--role", "page,x", "--", "true")).toMatch(
      /--role takes one or more of/,
    );
    expect(await refusalOf("client", "--", "/no/such/program")).toMatch(/cannot start the client: .*ENOENT/);
  });
});

describe("a run", () => {
  it("says what passed, what is not offered and what is not testable, as JSON, JUnit's XML and a page", async () => {
    const files = ["--junit", "junit.xml", "--html", "report.html"];
    const given = [
      ...at(),
      ...keys(),
      "--section",
      "2.7,4.6,Leases",
      "--without",
      "leases",
      "--json",
      ...files,
    ];
    const { exitCode, out, files: written } = await run(...given);
    expect(exitCode).toBe(0);
    const summary = JSON.parse(out);
    const { clauses, ...counts } = summary;
    expect(counts).toEqual({ passed: 4, failed: 0, notOffered: 4, notTestable: 1 });
    expect(clauses[0]).toEqual({
      section: "2.7",
      heading: "2.7 PendingScore",
      anchor: "#27-pendingscore",
      title: clauses[0].title,
      outcome: "passed",
    });
    expect(written["junit.xml"]).toContain(
      '<testsuites name="afterword-conformance" tests="9" failures="0" skipped="5">',
    );
    expect(written["report.html"]).toContain("4 passed, 0 failed, 4 not offered, 1 not testable");
  });

  it("with a failed clause has exit code 1, and no detail shows a key", async () => {
    const { exitCode, out } = await run(
      ...at(),
      ...keys(),
      "--section",
      "5",
      "--allowed-origin",
      "https://other.example",
    );
    expect(exitCode).toBe(1);
    expect(out).toContain("FAILED");
    for (const key of Object.values(keysOf(first.id))) expect(out).not.toContain(key);
  });

  it("prints projects that a config file takes", async () => {
    const { exitCode, out } = await run("--print-setup");
    const started = await startServer({ config: JSON.parse(out) as ServerConfig });
    await started.close();
    expect(exitCode).toBe(0);
  });
});
