import { json } from "node:stream/consumers";
import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { describe, expect, it } from "vitest";
import { runInShell } from "./shell.fixture.ts";
import type { Shell } from "./shell.ts";
import { makeSink, sinkChoices } from "./sink-choice.ts";
import { aScore, untilAborted } from "../sinks/score.fixture.ts";

const complete: Record<string, Record<string, string>> = {
  langfuse: { LANGFUSE_PUBLIC_KEY: "pk-lf-1" },
  phoenix: { PHOENIX_PROJECTS: "one, two" },
  datadog: { DD_API_KEY: "key", DD_LLMOBS_ML_APP: "app" },
  opik: {},
  mlflow: { MLFLOW_EXPERIMENT_IDS: "0,7" },
  langsmith: { LANGSMITH_API_KEY: "key", LANGSMITH_PROJECT_ID: "8f1c8a52-7d6a-4b0c-9d52-1f1d1a8f0a11" },
  braintrust: { BRAINTRUST_API_KEY: "key", BRAINTRUST_PROJECT_ID: "project" },
  otlp: { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x,x-team=feedback" },
  webhook: {
    AFTERWORD_WEBHOOK_SECRET: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=",
    AFTERWORD_WEBHOOK_URL: "https://example.com/in",
  },
};

const make = (name: string, environment: Record<string, string>) =>
  makeSink(name, "/nowhere/scores.jsonl", { environment } as unknown as Shell);

describe("a sink on the command line", () => {
  it.each(Object.keys(sinkChoices))("%s is complete with its required variables", (name) => {
    expect(make(name, complete[name] ?? {}).name).toBe(name);
  });

  const required = Object.entries(sinkChoices).flatMap(([name, choice]) =>
    choice.variables.flatMap((variable) => (variable.isRequired ? [[name, variable.name] as const] : [])),
  );
  it.each(required)("%s names the variable %s when it is missing", (name, variable) => {
    const { [variable]: _, ...others } = complete[name]!;
    expect(() => make(name, others)).toThrow(`The sink ${name} needs the variable ${variable}.`);
  });

  it("all that is missing is named at once: variables, key, address and flags", async () => {
    const run = await runInShell(["forward", "--sink", "webhook", "datadog", "jsonl", "--text", "some"]);
    expect(run.exitCode).toBe(2);
    expect(run.errors.trimEnd().split("\n")).toEqual([
      "afterword: The sink webhook needs the variables AFTERWORD_WEBHOOK_URL and AFTERWORD_WEBHOOK_SECRET.",
      "The sink datadog needs the variables DD_API_KEY and DD_LLMOBS_ML_APP.",
      "The jsonl sink needs --out FILE.",
      "No secret key: set AFTERWORD_SECRET_KEY.",
      "No base URL: pass --base-url or set AFTERWORD_BASE_URL.",
      expect.stringContaining(`--text is "some"`),
    ]);
  });

  it.each([
    ["phoenix", { PHOENIX_BASE_URL: "localhost:6006" }, "The base URL of sink phoenix must be"],
    ["otlp", { OTEL_EXPORTER_OTLP_HEADERS: "authorization=%zz" }, "must be percent-encoded"],
  ])("%s with %j is a fault of the settings and not of the program", async (name, variables, detail) => {
    const environment = { AFTERWORD_SECRET_KEY: "aw_sk_x", AFTERWORD_BASE_URL: "https://example.com" };
    const run = await runInShell(["forward", "--sink", name], {
      environment: { ...environment, ...variables },
    });
    expect(run).toMatchObject({ exitCode: 2, errors: expect.stringContaining(detail) });
  });
});

describe("a rating of a session, as the quick start mints it, on the command line", () => {
  const deliver = async (name: string, endpoint: string) => {
    const shell = { environment: { ...complete[name], [endpointOf[name]!]: endpoint } };
    const sink = makeSink(name, undefined, shell as unknown as Shell);
    return (await sink.deliver([aScore({ observationId: null })], untilAborted()))[0];
  };
  const endpointOf: Record<string, string> = {
    langsmith: "LANGSMITH_ENDPOINT",
    braintrust: "BRAINTRUST_API_URL",
  };

  it("goes to the thread in LangSmith", async () => {
    const bodies: Record<string, unknown>[] = [];
    await using server = await serveLocally(async (request, reply) => {
      bodies.push((await json(request)) as Record<string, unknown>);
      reply.end('{"id":"1"}');
    });
    expect(await deliver("langsmith", server.url)).toEqual({ outcome: "delivered" });
    expect(bodies).toMatchObject([
      { feedback_thread_id: "session-1", session_id: complete["langsmith"]!["LANGSMITH_PROJECT_ID"] },
    ]);
  });

  it("waits before Braintrust, which rates rows alone, and says why", async () => {
    expect(await deliver("braintrust", "http://127.0.0.1:9")).toEqual({
      outcome: "retry",
      reason: expect.stringContaining("names no row"),
    });
  });
});
