import { chromium, type Browser } from "playwright-core";
import { inject } from "vitest";
import { chromiumArguments } from "../chromium.ts";

let browser: Promise<Browser> | undefined;

/** One Chromium for all files of a worker, which share their modules. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> =>
  (browser ??= chromium.launch({ executablePath: inject("chromiumPath"), args: chromiumArguments }));
