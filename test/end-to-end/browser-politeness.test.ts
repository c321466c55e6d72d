import { describe, expect, it } from "vitest";
import { useWorld } from "./browser-world.ts";

const world = useWorld();
const rating = (value: number) => `input[value="${value}"]`;

/** A door that stays shut until the test opens it. */
function door() {
  let open = () => {};
  const untilReleased = new Promise<void>((resolve) => (open = resolve));
  return { untilReleased, open };
}

describe("a slow service", () => {
  it("whose answer arrives while the person types takes neither focus nor keys, though they asked for the survey", async () => {
    const { untilReleased, open } = door();
    world.proxy.fault = ({ path }) => (path === "/v1/sdk/bootstrap" ? { untilReleased } : undefined);
    const { page } = await world.open({ body: `<button>Rate us</button><input aria-label="Message" />` });
    await page.waitForFunction("afterword.isOpen");
    await page.evaluate(
      `document.querySelector("button").onclick = () => afterword("ask", "when-asked", { openedByPerson: true })`,
    );
    await page.getByRole("button", { name: "Rate us" }).click();
    await page.getByLabel("Message").click();
    await page.keyboard.type("ab");
    world.proxy.fault = () => undefined;
    open();
    await page.locator(rating(3)).waitFor();
    await page.keyboard.type("cd");
    expect(await page.getByLabel("Message").inputValue()).toBe("abcd");
  });

  it("focus moves into a survey that the person opened and waited for", async () => {
    const { page } = await world.open({
      body: `<button onclick="">Rate us</button>`,
    });
    await page.waitForFunction("afterword.isOpen");
    await page.evaluate(
      `document.querySelector("button").onclick = () => afterword("ask", "when-asked", { openedByPerson: true })`,
    );
    await page.getByRole("button", { name: "Rate us" }).click();
    await page.locator(rating(3)).waitFor();
    expect(await page.locator("input:focus").count()).toBe(1);
  });
});

describe("what goes wrong stays inside", () => {
  it.each([
    `afterword()`,
    `afterword("ask")`,
    `afterword("identify", null)`,
    `afterword("install", "token")`,
    `afterword("on", "shown")`,
    `afterword("preview")`,
    `afterword("preview", {})`,
    `afterword("constructor")`,
    `afterword("__proto__")`,
  ])("%s throws nothing", async (call) => {
    const { page, faults } = await world.open();
    await page.waitForFunction("afterword.isOpen");
    await page.evaluate(call);
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(faults).toEqual([]);
  });
});

describe("consent", () => {
  it("required and not given: no request at all, whatever the page asks for, and nothing is kept", async () => {
    const seen = world.proxy.seen.length;
    const { page } = await world.open({
      attributes: `data-consent="required"`,
      before: `afterword("identify", "x"); afterword("ask", "when-asked"); afterword("resolve");`,
    });
    await page.waitForFunction("afterword.isOpen");
    await page.waitForLoadState("networkidle");
    expect(world.proxy.seen).toHaveLength(seen);
    expect(await page.evaluate("({ ...localStorage, ...sessionStorage, cookie: document.cookie })")).toEqual({
      cookie: "",
    });
    await page.evaluate(`afterword("consent", true)`);
    await page.locator(rating(3)).waitFor();
  });
});
