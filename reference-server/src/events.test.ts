import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "./app.ts";
import { allOf, type ServerEvent, type ServerEvents } from "./events.ts";

const failing: ServerEvents = {
  emit: () => {
    throw new Error("The collector is gone.");
  },
};

describe("a listener of events that fails", () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  afterEach(() => {
    process.off("warning", listen);
    warnings.length = 0;
  });

  it("does not affect the others, and is reported once", async () => {
    process.on("warning", listen);
    const heard: ServerEvent[] = [];
    const events = allOf(failing, { emit: (event) => void heard.push(event) });
    events.emit({ kind: "warning", message: "one" });
    events.emit({ kind: "warning", message: "two" });
    expect(heard).toHaveLength(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("An event listener failed: Error: The collector is gone."),
    ]);
  });

  it("does not change the reply", async () => {
    await using application = await createApp({ events: failing });
    const reply = await application.app.request("/v1/sdk/tokens", { method: "POST" });
    expect(reply.status).toBe(401);
  });
});
