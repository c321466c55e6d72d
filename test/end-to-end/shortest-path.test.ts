import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../free-port.ts";
import { sharedBrowser } from "./shared-browser.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** The files of the shortest path, as README.md prints them: each names itself in its first line. */
const files = [...readme.matchAll(/```(?:html|js|ts)\n(?:<!--|\/\/) (\S+)(?: -->)?\n([\s\S]*?)```/g)].map(
  ([, file, code]) => [file!, code!] as const,
);

interface Started {
  url: string;
  publishableKey: string;
  secretKey: string;
}

/** Starts a program, which ends with the test, and answers its first line. */
async function start(words: string[], cwd: string, environment: Record<string, string> = {}, waits = true) {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return waits ? ((await once(createInterface(child.stdout), "line")) as [string])[0] : "";
}

/** What `npx -y pnpm@12 dev` runs after the build, which the end-to-end tests come after. */
function startDev(folder: string) {
  const [build, command] = scripts["dev"]!.split(" && ");
  expect([build, command]).toEqual(["pnpm run build", expect.stringMatching(/^node /)]);
  const words = command!.split(" ").slice(1);
  return start([...words, "--port", "0", "--json", "--folder", folder], root);
}

it("README.md names the command that starts the service for development in a clone, and it starts", async () => {
  expect(readme).toContain("npx -y pnpm@12 dev ");
  const folder = mkdtempSync(join(tmpdir(), "afterword-clone-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { url } = JSON.parse(await startDev(folder)) as Started;
  expect((await fetch(url)).status).toBe(200);
});

it("the shortest path of README.md works as printed against the service that dev starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "afterword-shortest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { url, publishableKey, secretKey } = JSON.parse(await startDev(folder)) as Started;
  const port = String(await freePort());
  expect(files.map(([file]) => file)).toEqual(["public/index.html", "public/page.js", "server.ts"]);
  mkdirSync(join(folder, "public"));
  symlinkSync(join(root, "examples/mint-after-task/node_modules"), join(folder, "node_modules"));
  // Only addresses and keys are the test's.
  for (const [file, code] of files)
    writeFileSync(
      join(folder, file),
      code
        .replaceAll("http://localhost:4330", url.replace(/\/$/, ""))
        .replaceAll("aw_pk_…", publishableKey)
        .replace("port: 3000", `port: ${port}`),
    );
  const keys = { AFTERWORD_SECRET_KEY: secretKey, AFTERWORD_BASE_URL: url };
  await start(["server.ts"], folder, keys, false);
  const page = await (await sharedBrowser()).newPage();
  onTestFinished(() => page.close());
  await expect
    .poll(
      () =>
        page.goto(`http://localhost:${port}/`).then(
          (reply) => reply?.status(),
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200);
  await page.waitForFunction("afterword.isOpen");
  await page.getByRole("button", { name: "Ask the agent" }).click();
  await page.getByText("You asked: Ask the agent").waitFor();
  // Screen readers are told the question, too.
  await page.locator("legend", { hasText: "How well did the agent do this task?" }).waitFor();
  await page.locator('input[value="5"]').check();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you").waitFor();
  // dev forwards what is linked to a run.
  const forwarded = async () =>
    ((await (await fetch(new URL("/dev/data/news", url))).json()) as { scores: object[] }).scores;
  await expect.poll(forwarded, { timeout: 20_000 }).toHaveLength(1);
});
