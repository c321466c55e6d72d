import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { serveWidgetPages } from "./widget-pages.ts";

// Script evaluation and start on a page where no survey shows, beside posthog-js on the same page in the same run.

const rival = "posthog-js@1.449.2";
const slowdown = 4;
const runs = 9;
const settleMs = 1500;
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** The package as its registry has it; it is not a dependency, because only this run needs it. */
function unpack(folder: string): string {
  execFileSync("npm", ["pack", rival, "--silent"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  execFileSync("tar", ["xzf", `${rival.replace("@", "-")}.tgz`], { cwd: folder });
  return join(folder, "package", "dist");
}

/** Milliseconds that the page spent in scripts until it came to rest. */
async function scriptMs(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(url);
  await page.waitForTimeout(settleMs);
  const { metrics } = await session.send("Performance.getMetrics");
  await context.close();
  return 1000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN);
}

const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

const folder = mkdtempSync(join(tmpdir(), "afterword-rival-"));
const pages = await serveWidgetPages(unpack(folder));
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
try {
  const taken: Record<string, number[]> = { "/empty": [], "/idle": [], "/rival": [] };
  for (let run = 0; run < runs; run++) {
    for (const [path, list] of Object.entries(taken)) list.push(await scriptMs(browser, pages.url + path));
  }
  const [empty, own, other] = Object.values(taken).map(median) as [number, number, number];
  print(
    `no survey shows, ${slowdown}x slower, median of ${runs}: ${(own - empty).toFixed(1)} ms of script, ` +
      `${rival} ${(other - empty).toFixed(1)} ms: ${((own - empty) / (other - empty)).toFixed(3)} of it`,
  );
} finally {
  await browser.close();
  pages.stop();
  rmSync(folder, { recursive: true, force: true });
}
