import type { RunningServer } from "@afterword/reference-server";
import { createHeadlessAfterword } from "@afterword/browser/headless";
import { act, StrictMode } from "react";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { publishableKey, startService } from "../../browser/fixtures/test-service.ts";
import { errorOf, render } from "../fixtures/render.ts";
import { AfterwordProvider, type ReactClient, useAfterword } from "./index.ts";

let service: RunningServer;
let options: { key: string; baseUrl: string };
beforeAll(async () => {
  service = await startService();
  options = { key: publishableKey, baseUrl: service.url };
});
afterAll(async () => {
  seen[0]!.destroy();
  await service.close();
});

const seen: ReactClient[] = [];
function Seen() {
  seen.push(useAfterword());
  return <p>the page</p>;
}
const person = () => seen.at(-1)!.respondent();

describe("one client per page", () => {
  it("StrictMode, remounts and other options of the same key keep it, and an anonymous person stays who they are", async () => {
    const strict = (
      <StrictMode>
        <AfterwordProvider options={options}>
          <Seen />
        </AfterwordProvider>
      </StrictMode>
    );
    const first = await render(strict);
    const anonymous = person();
    await first.show(
      <main>
        <AfterwordProvider options={{ ...options, theme: "dark" }}>
          <Seen />
        </AfterwordProvider>
      </main>,
    );
    await first.unmount();
    await render(strict);
    expect(new Set(seen).size).toBe(1);
    expect(person()).toEqual(anonymous);
    expect(anonymous).toMatchObject({ kind: "anon-conversation" });
  });

  it("the person follows the props: identified, another one, and forgotten after the logout", async () => {
    const as = (userId?: string | number | bigint | null, plan?: string) => (
      <AfterwordProvider options={options} userId={userId} traits={plan ? { plan } : undefined}>
        <Seen />
      </AfterwordProvider>
    );
    const { show } = await render(as(undefined));
    const anonymous = person();
    const identify = vi.spyOn(seen.at(-1)!, "identify");
    await show(as("mara"));
    expect(person()).toEqual({ id: "mara", kind: "identified" });
    await show(as("mara"));
    expect(identify).toHaveBeenCalledTimes(1);
    await show(as("mara", "pro"));
    expect(identify).toHaveBeenLastCalledWith("mara", { plan: "pro" });
    await show(as("noa"));
    expect(person()).toEqual({ id: "noa", kind: "identified" });
    await show(as(null));
    expect(person()).toMatchObject({ kind: "anon-conversation" });
    // From a database.
    for (const id of [42, 0, 2n ** 63n]) {
      await show(as(id));
      expect(person()).toEqual({ id: String(id), kind: "identified" });
    }
    await show(as(""));
    expect(person()).toMatchObject({ kind: "anon-conversation" });
    expect(person()).not.toEqual(anonymous);
  });

  it("the person is known from the first request, although the components wait while the page is hydrated", async () => {
    const bodies: string[] = [];
    // A key and an address of its own: a client of another test has the other key, and its requests do not count.
    const baseUrl = "https://first.example.com";
    const client = createHeadlessAfterword({ key: "aw_pk_hydrated", baseUrl });
    vi.spyOn(window, "fetch").mockImplementation(async (url, init) => {
      if (String(url).startsWith(baseUrl)) bodies.push(init!.body as string);
      return Response.json({ surveys: [], showTokens: {}, suppression: [] });
    });
    const waiting = Promise.withResolvers<void>();
    let isReady = false;
    function Late() {
      // As a component does whose code is still loading.
      if (!isReady) throw waiting.promise;
      return <p>the page</p>;
    }
    await render(
      <AfterwordProvider client={client} userId="mara">
        <Late />
      </AfterwordProvider>,
    );
    await vi.waitFor(() => expect(bodies).not.toEqual([]));
    isReady = true;
    await act(async () => waiting.resolve());
    client.destroy();
    vi.restoreAllMocks();
    expect(bodies.map((body) => (JSON.parse(body) as { userId: string }).userId)).toEqual(["mara"]);
  });

  it("children hear of errors themselves: the provider catches none", async () => {
    const Broken = () => {
      throw new Error("of the host page");
    };
    const error = await errorOf(
      <AfterwordProvider options={options}>
        <Broken />
      </AfterwordProvider>,
    );
    expect(error).toMatchObject({ message: "of the host page" });
  });
});

describe("an error says what to do", () => {
  it.each([
    ["neither key nor client", undefined, "pass options={{ key, baseUrl }} or a client"],
    ["a key without an address", { key: "aw_pk_x" }, "pass options={{ key, baseUrl }} or a client"],
    ["another key", { key: "aw_pk_other", baseUrl: "https://feedback.example.com" }, "reload the page"],
  ])("%s", async (_, given, text) => {
    await render(<AfterwordProvider options={options} />);
    const error = await errorOf(<AfterwordProvider options={given as typeof options} />);
    expect(error).toMatchObject({ message: expect.stringContaining(text) as string });
  });

  it("a key that changes, or a client that is made anew at each render", async () => {
    const { show, errors } = await render(<AfterwordProvider options={options} />);
    vi.spyOn(console, "error").mockReturnValue();
    const client = { ...seen.at(-1)! };
    const problem = await show(<AfterwordProvider client={client} />).catch((error: unknown) => error);
    vi.restoreAllMocks();
    expect(problem ?? errors[0]).toMatchObject({
      message: expect.stringContaining("create the client outside of components") as string,
    });
  });

  it("a hook outside of the provider", async () => {
    expect(await errorOf(<Seen />)).toMatchObject({
      message: "afterword: useAfterword() needs an <AfterwordProvider> above it",
    });
  });
});
