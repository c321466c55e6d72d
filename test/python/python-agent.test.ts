import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AfterwordRespondent, type HandedOverRun } from "@afterword/node";
import { type startServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

const python = process.env["PYTHON_AGENT"];
if (!python) console.warn("skipped: PYTHON_AGENT is not set to a Python with the example's requirements");

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const cwd = at("examples/python-agent");
const PYTHONPATH = at("packages/create-afterword/templates/fastapi");
const builtServer = new URL("../../reference-server/dist/index.js", import.meta.url);

interface Reply {
  answer: string;
  run: HandedOverRun | null;
}

describe.skipIf(!python)("the Python example", () => {
  let service: Awaited<ReturnType<typeof startServer>>;
  let app: ChildProcess;
  let appUrl: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const built = (await import(builtServer.href)) as { startServer: typeof startServer };
    const survey = { type: "csat", presentation: "inline", trigger: "manual", status: "active" } as const;
    const surveys = [{ id: "csat", slug: "csat", question: "How well did the agent do?", ...survey }];
    const projects = [{ id: "p", name: "P", allowedOrigins: [], surveys }];
    service = await built.startServer({ config: { projects, rateLimits: false } });
    const { secretKey } = service.projects[0]!;
    env = { ...process.env, AFTERWORD_BASE_URL: service.url, AFTERWORD_SECRET_KEY: secretKey, PYTHONPATH };
    const stdio = ["ignore", "ignore", "pipe"] as const;
    app = spawn(python!, ["-m", "uvicorn", "main:app", "--port", "0"], { cwd, env, stdio: [...stdio] });
    for await (const line of createInterface({ input: app.stderr! })) {
      appUrl = /running on (http:\/\/\S+)/.exec(line)?.[1] ?? "";
      if (appUrl) break;
    }
  });
  afterAll(async () => {
    app?.kill();
    if (app?.exitCode === null) await once(app, "exit");
    await service?.close();
  });

  const chat = (text: string, cookie = "session=cookie-of-jo") =>
    fetch(`${appUrl}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ text }),
    });
  const reply = async (text: string) => (await (await chat(text)).json()) as Reply;
  const forward = async () => (await promisify(execFile)(python!, ["forward.py"], { cwd, env })).stdout;

  it("answers only people who are signed in", async () => {
    expect((await chat("Hello", "session=guessed")).status).toBe(401);
  });

  it("asks nothing while the agent waits for a person, and hands the run over when it has ended", async () => {
    expect(await reply("Please refund my order")).toEqual({ answer: "May I refund 20 euros?", run: null });
    const { answer, run } = await reply("Yes");
    expect(answer).toContain("20 euros");
    const token = expect.stringMatching(/^st2\./);
    expect(run).toEqual({ tokens: { csat: token }, sessionId: "chat-of-jo", taskType: "refund" });
    expect(JSON.stringify(run)).not.toContain(env["AFTERWORD_SECRET_KEY"]);
  });

  it("forwards a rating once, with the session that it was minted for and without the person's words", async () => {
    const { run } = await reply("Where is my order?");
    const { publishableKey } = service.projects[0]!;
    const person = new AfterwordRespondent({ publishableKey, baseUrl: service.url, userId: "jo" });
    const { sessionId, taskType, tokens } = run!;
    person.install({ surveyId: "csat", token: tokens["csat"]!, sessionId, taskType });
    await (await person.nextAsk())!.submit({ rating: 5, text: "Thanks, it was quick." });
    const score = JSON.parse(await forward()) as object;
    expect(score).toMatchObject({ rating: 5, sessionId: "chat-of-jo", taskType: "refund" });
    expect(score).not.toHaveProperty("text");
    expect(await forward()).toBe("");
  });

  it.each(["asyncio.run(afterword.handed_over_run(*given))", "afterword.handed_over_run_blocking(*given)"])(
    "says why a mint gave no token, with and without await: %s",
    async (call) => {
      const script = `import asyncio, sys, afterword; given = sys.argv[1:]; print(${call})`;
      const minted = async (more: object, ...given: string[]) =>
        (
          await promisify(execFile)(python!, ["-c", script, ...given], { cwd, env: { ...env, ...more } })
        ).stdout.trim();
      expect(await minted({}, `kim-${call.length}`, "s", "csat", "refund")).toMatch(
        /^\{'tokens': \{'csat': 'st2\.[^']+'\}, 'sessionId': 's', 'taskType': 'refund'\}$/,
      );
      // Jo has answered.
      expect(await minted({}, "jo", "s")).toBe("no token: {'csat': 'gated'}\nNone");
      expect(await minted({}, "kim", "s", "unknown")).toBe("no token: {'unknown': 'survey_unknown'}\nNone");
      const wrongKey = { AFTERWORD_SECRET_KEY: "aw_sk_wrong" };
      expect(await minted(wrongKey, "kim", "s")).toBe("minting failed: 401 secret_key_required\nNone");
      expect(await minted(wrongKey, "", "s")).toBe("None");
      await using captive = await serveLocally((_, response) => response.end("<h1>Sign in</h1>"));
      const portal = { AFTERWORD_BASE_URL: captive.url };
      expect(await minted(portal, "kim", "s")).toBe("minting failed: 200 not a reply of the service\nNone");
      const nowhere = { AFTERWORD_BASE_URL: "http://127.0.0.1:9" };
      expect(await minted(nowhere, "kim", "s")).toBe("minting failed: ConnectError\nNone");
    },
  );

  it("answers as before when the person was asked recently", async () => {
    expect(await reply("And my other order?")).toMatchObject({ run: null });
  });

  it("answers as before when the service is down", async () => {
    await service.close();
    expect(await reply("Hello again")).toMatchObject({ answer: expect.any(String), run: null });
  });
});
