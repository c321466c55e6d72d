import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Place, project } from "./place.fixture.ts";
import { templates } from "./templates.ts";

const keys = { down: "\u001B[B", enter: "\r", interrupt: "\u0003" };

let place: Place;
let input: PassThrough;
let shown: string;
beforeEach(() => {
  place = new Place();
  place.dev = project;
  place.setNpm("exit 0");
  input = new PassThrough();
  const output = new PassThrough();
  shown = "";
  output.on("data", (chunk) => (shown += stripVTControlCharacters(String(chunk))));
  place.terminal = { input, output };
});
afterEach(() => place[Symbol.dispose]());

/** Waits for a question, then presses keys one after the other. */
async function answer(question: string, ...pressed: string[]): Promise<void> {
  await vi.waitFor(() => expect(shown).toContain(question));
  for (const key of pressed) {
    input.write(key);
    // A key is read on its own only once the one before it has been handled.
    await new Promise(setImmediate);
  }
}

const start = (...words: string[]) => place.run(...words, "--no-start", "--port", "1");
const manifest = (folder: string) => JSON.parse(place.read(`${folder}/package.json`)) as { name: string };

it("asks for the app, by its title, and for the folder, and creates what was chosen", async () => {
  const ended = start();
  const downs = Array.from({ length: Object.keys(templates).indexOf("next-ai-sdk") }, () => keys.down);
  expect(downs).not.toEqual([]);
  await answer("Which app?", ...downs, keys.enter);
  for (const { title } of Object.values(templates)) expect(shown).toContain(title);
  await answer("In which folder?", ..."shop", keys.enter);
  expect([await ended, place.error]).toEqual([0, ""]);
  expect(manifest("shop").name).toBe("shop");
  // The only template with this file.
  expect(place.files()).toContain("shop/.env.local");
});

it("creates my-app where no folder is typed", async () => {
  const ended = start();
  await answer("Which app?", keys.enter);
  await answer("In which folder?", keys.enter);
  expect([await ended, place.error]).toEqual([0, ""]);
  expect(manifest("my-app").name).toBe("my-app");
});

it("asks for no folder that is named, for none with --add, and for nothing with --template", async () => {
  const named = start("app");
  await answer("Which app?", keys.enter);
  expect([await named, shown]).toEqual([0, expect.not.stringContaining("In which folder?")]);
  place.write("package.json", "{}");
  shown = "";
  const added = place.run("--add");
  await answer("Which app?", keys.enter);
  expect([await added, shown]).toEqual([0, expect.not.stringContaining("In which folder?")]);
  shown = "";
  expect([await start("other", "--template", "page"), shown]).toEqual([0, ""]);
});

it.each([
  ["Which app?", []],
  ["In which folder?", [keys.enter]],
])("Ctrl-C at %j ends with 130 and creates nothing", async (question, before) => {
  const ended = start();
  if (before.length > 0) await answer("Which app?", ...before);
  await answer(question, keys.interrupt);
  expect([await ended, place.error]).toEqual([130, ""]);
  expect(shown).toContain("Nothing was created.");
  expect(place.files()).toEqual([]);
});
