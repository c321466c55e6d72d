import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Browser } from "playwright-core";
import { ServerFolder, serverProgram } from "./server-program.ts";

/** A file that the development page shows. */
export interface ShownFile {
  file: string;
  code: string;
}

/** Starts `afterword-server dev`, and reads on its page what it shows for a page and a server. */
export async function startWithSnippets(browser: Browser, choice: { page?: string; server?: string }) {
  const folder = new ServerFolder();
  const words = [serverProgram, "dev", "--port", "0", "--json"];
  const child = spawn(process.execPath, words, { cwd: folder.path, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill();
    await ended;
    folder[Symbol.dispose]();
  };
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const page = await browser.newPage();
  await page.goto((JSON.parse(line) as { url: string }).url);
  if (choice.page) await page.getByLabel("Your page").selectOption(choice.page);
  if (choice.server) await page.getByLabel("Your server").selectOption(choice.server);
  const blocks = await page.locator("#snippets > div").all();
  const files = await Promise.all(
    blocks.map(async (block): Promise<ShownFile> => {
      const [file, code] = await Promise.all(
        ["code", "pre"].map((part) => block.locator(part).textContent()),
      );
      return { file: file!, code: code! };
    }),
  );
  await page.close();
  return { files, stop };
}
