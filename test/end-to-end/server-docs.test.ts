import { readdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { startServer } from "@afterword/reference-server";
import { chromiumArguments } from "../chromium.ts";

const room = new URL("../../reference-server/", import.meta.url);

describe("the reference page", () => {
  it("is carried by the program itself: the package it is taken from reports who installs it", () => {
    const manifest = readFileSync(new URL("package.json", room), "utf8");
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies)).not.toContain("swagger-ui-dist");
    expect(readdirSync(new URL("dist/docs/", room)).toSorted()).toEqual([
      "LICENSE",
      "NOTICE",
      "favicon-32x32.png",
      "swagger-ui-bundle.js",
      "swagger-ui-bundle.js.LICENSE.txt",
      "swagger-ui.css",
    ]);
  });

  it("shows every endpoint in a real browser, breaks no rule of its policy and asks nobody else", async () => {
    await using server = await startServer({ config: { projects: [] } });
    const browser = await chromium.launch({
      executablePath: inject("chromiumPath"),
      args: chromiumArguments,
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
      const [requests, complaints]: string[][] = [[], []];
      page.on("request", (request) => requests!.push(request.url()));
      page.on("console", (message) => message.type() === "error" && complaints!.push(message.text()));
      page.on("pageerror", (error) => complaints!.push(error.message));
      await page.goto(`${server.url}/docs`);
      await page.getByText("/v1/sdk/bootstrap").waitFor();
      const paths = await page.locator(".opblock-summary-path").allInnerTexts();
      expect(paths.map((path) => path.replaceAll("\u200b", "")).sort()).toEqual([
        "/v1/definitions",
        "/v1/dismissals",
        "/v1/privacy/erase",
        "/v1/privacy/export",
        "/v1/responses",
        "/v1/sdk/bootstrap",
        "/v1/sdk/pending-scores",
        "/v1/sdk/pending-scores/ack",
        "/v1/sdk/responses",
        "/v1/sdk/tokens",
      ]);
      await page.getByText("Mint session-bound show-tokens").click();
      await page.getByRole("button", { name: "Try it out" }).waitFor();
      const screenshot = process.env["AFTERWORD_SCREENSHOT"];
      if (screenshot) await page.screenshot({ path: screenshot });
      expect(complaints).toEqual([]);
      expect(requests!.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual([]);
      expect(requests!.length).toBeGreaterThanOrEqual(4);
    } finally {
      await browser.close();
    }
  });
});
