import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { forwardSettings } from "./forward-settings.ts";
import { readConfigFile } from "./command-options.ts";
import type { Shell } from "./shell.ts";

const read = (text: string) =>
  readConfigFile("afterword.json", { readFile: async () => text } as unknown as Shell);

describe("the configuration file", () => {
  it("in the documentation is valid, and has every key that a file may have", async () => {
    const path = new URL("../../../../docs/reference/afterword-program.md", import.meta.url);
    const [, example = ""] = /```json\n([^]*?)```/.exec(await readFile(path, "utf8")) ?? [];
    const file = await read(example);
    expect(() => forwardSettings({}, file)).not.toThrow();
    const told = await read('{"typo":1}').catch((error: Error) => error.message);
    const allowed = /the file may have (.*)/.exec(String(told))?.[1]?.split(", ");
    expect(Object.keys(file).toSorted()).toEqual(allowed?.toSorted());
  });

  it("with unknown keys is refused with the keys that it may have", async () => {
    await expect(read('{"typo":1,"sinks":"jsonl"}')).rejects.toThrow(
      /unknown: typo, sinks; the file may have .*sink, out, .*surveys/,
    );
  });

  it.each(['{"x":"npss"}', '{"x":{"kind":"nps"}}', '{"x":3}'])(
    "says what a survey may be: %s",
    async (surveys) => {
      await expect(read(`{"surveys":${surveys}}`)).rejects.toThrow(
        /surveys\.x: (must be nps, csat, ces or pmf|Unrecognized key: "kind")/,
      );
    },
  );
});
