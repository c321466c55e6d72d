import { statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "@afterword/reference-server";
import { sharedBrowser } from "./shared-browser.ts";

const packageFolder = new URL("../../reference-server/", import.meta.url);

async function openPage() {
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 1280, height: 1600 } });
  onTestFinished(() => page.close());
  return page;
}

describe("the reference page", () => {
  it("is compressed by the build, not per request", async () => {
    const built = (await import(new URL("dist/index.js", packageFolder).href)) as {
      startServer: typeof startServer;
    };
    await using server = await built.startServer({ config: { projects: [] } });
    const reply = await fetch(`${server.url}/docs/swagger-ui.js`, { headers: { "accept-encoding": "gzip" } });
    expect(reply.headers.get("content-encoding")).toBe("gzip");
    const { size } = statSync(new URL("dist/docs/swagger-ui-bundle.js.gz", packageFolder));
    expect(Number(reply.headers.get("content-length"))).toBe(size);
    expect((await reply.text()).length).toBeGreaterThan(2 * size);
  });

  it("shows every endpoint in a real browser, within its content security policy and without other hosts", async () => {
    await using server = await startServer({ config: { projects: [] } });
    const page = await openPage();
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
      "/v1/sdk/tokens/check",
      "/v1/shown",
    ]);
    await page.getByText("Mint session-bound show-tokens").click();
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    expect(complaints).toEqual([]);
    expect(requests!.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual([]);
    expect(requests!.length).toBeGreaterThanOrEqual(4);
  });
});
