import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll } from "vitest";
import { useStage, type PageOptions, type Stage } from "./browser-stage.ts";
import { sharedBrowser } from "./shared-browser.ts";

export { newPerson } from "./browser-stage.ts";

export interface OpenPage {
  page: Page;
  /** Uncaught errors and rejections, and violations of the content security policy. */
  faults: string[];
}

export interface World extends Stage {
  /** A browser profile of its own: storage, cookies, tabs. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  open(options?: PageOptions, context?: BrowserContext): Promise<OpenPage>;
}

/** The stage, and a Chromium before it, for the stories of a file. */
export function useWorld(): World {
  const stage = useStage();
  const contexts: BrowserContext[] = [];
  afterAll(() => Promise.all(contexts.map((context) => context.close())));
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce", ...options });
    contexts.push(context);
    return context;
  };
  return Object.assign(stage, {
    newContext,
    async open(options: PageOptions = {}, context?: BrowserContext): Promise<OpenPage> {
      const page = await (context ?? (await newContext())).newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
      });
      await page.goto(stage.publish(options));
      return { page, faults };
    },
  });
}
