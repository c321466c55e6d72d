import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { endpoints } from "@afterword/protocol";
import { startServer } from "@afterword/reference-server";
import { expect, it } from "vitest";

const program = process.env["SCHEMATHESIS"];
if (!program) console.warn("skipped: SCHEMATHESIS is not set to the program of that name");

const surveys = [
  {
    id: "csat",
    slug: "csat",
    type: "csat",
    question: "How did it go?",
    presentation: "corner",
    trigger: "manual",
    status: "active",
  },
] as const;

/** What each reply is held to. A key may stand in two places, so that a valid body alone need not be accepted. */
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "unsupported_method",
  "ignored_auth",
];

it.skipIf(!program)(
  "schemathesis makes cases for every operation, and every reply is as documented",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-generated-"));
    await using server = await startServer({
      config: {
        projects: [{ id: "p", name: "P", allowedOrigins: ["*"], surveys: [...surveys] }],
        rateLimits: false,
      },
    });
    const authorization = `Authorization: Bearer ${server.projects[0]!.secretKey}`;
    const phases = ["--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1"];
    const given = [
      "run",
      `${server.url}/openapi.yaml`,
      "-H",
      authorization,
      "--checks",
      checks.join(),
      ...phases,
    ];
    try {
      const { stdout } = await promisify(execFile)(program!, [...given, "--no-color"], { cwd: folder });
      expect(stdout).not.toMatch(/unsupported regex|schema error/i);
      expect(stdout).toContain(`Tested: ${Object.keys(endpoints).length}`);
      expect(stdout).not.toMatch(/Fuzzing[\s\S]*(❌|🚫)/);
    } catch (error) {
      const { stdout } = error as { stdout?: string };
      throw stdout === undefined ? error : new Error(stdout);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
