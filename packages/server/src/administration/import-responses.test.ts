import { describe, expect, it } from "vitest";
import { createApp, idBoundary } from "@afterword/reference-server/internal";
import { survey } from "../commands/afterword-server.fixture.ts";
import { importedResponse, type ImportLine } from "./import-responses.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");
const types = ["nps", "csat", "ces", "pmf"] as const;

async function world() {
  const definitions = [...types.map((type) => survey(type, { type })), survey("thumbs", { thumbs: true })];
  const surveys = definitions.map((one) => ({ ...one, status: "active" }));
  const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: [], surveys }] } as never;
  const application = await createApp({ config, clock: { now: () => now }, masterKey: new Uint8Array(32) });
  const { service } = application;
  const project = service.directory.project("shop")!;
  return {
    read: (line: Partial<ImportLine>) =>
      importedResponse(
        { service, project },
        {
          email: "ada@example.com",
          survey: "csat",
          rating: "3",
          at: "2025-03-01T12:00:00Z",
          traits: {},
          ...line,
        },
      ),
    [Symbol.asyncDispose]: () => application.close(),
  };
}

describe("a line of an import", () => {
  it.each([
    ["nps", ["0", "10"], ["-1", "11"]],
    ["csat", ["1", "5"], ["0", "6"]],
    ["ces", ["1", "7"], ["0", "8"]],
    ["pmf", ["0", "2"], ["3"]],
    ["thumbs", ["1", "5"], ["0", "2", "3", "4", "6"]],
  ])("of %s takes the ratings of its scale and no others", async (slug, good, bad) => {
    await using here = await world();
    for (const rating of good) expect(here.read({ survey: slug, rating }).rating).toBe(Number(rating));
    for (const rating of bad) expect(() => here.read({ survey: slug, rating })).toThrow("rating is not ");
  });

  it.each(["3.0", "3,5", " 3", "1e0", "0x3", "three", "٣"])("refuses %s as a rating", async (rating) => {
    await using here = await world();
    expect(() => here.read({ rating })).toThrow("rating is not a whole number from 1 to 5");
  });

  it.each([
    ["2025-03-01T12:00:00Z", "2025-03-01T12:00:00.000Z"],
    ["2025-03-01T12:00:00.250Z", "2025-03-01T12:00:00.250Z"],
    ["2025-03-01T12:00:00+05:30", "2025-03-01T06:30:00.000Z"],
    ["2025-03-01", "2025-03-01T00:00:00.000Z"],
  ])("reads the time %s", async (at, meant) => {
    await using here = await world();
    expect(new Date(here.read({ at }).at).toISOString()).toBe(meant);
  });

  it.each([
    "2025-03",
    "2025-02-30",
    "01.03.2025",
    "2025-02-30T12:00:00Z",
    "1740830400",
    "2025-03-01 12:00:00",
  ])("refuses %s as a time, since nobody can tell what was meant", async (at) => {
    await using here = await world();
    expect(() => here.read({ at })).toThrow("at is not a time");
  });

  it.each(["josé@example.com", "ada@bücher.example", "иван@пример.рф", "用户@例え.jp"])(
    "says of the international address %s that none is imported",
    async (email) => {
      await using here = await world();
      expect(() => here.read({ email })).toThrow(
        /^email is not an e-mail address in ASCII: .+ not imported$/,
      );
    },
  );

  it("counts the text in code points, and keeps it when a single character cannot be stored", async () => {
    await using here = await world();
    expect(here.read({ text: "😀".repeat(10_000) }).text).toHaveLength(20_000);
    expect(() => here.read({ text: "😀".repeat(10_001) })).toThrow("longer than 10000");
    expect(here.read({ text: "good\u0000bye" }).text).toBe("good\ufffdbye");
  });

  it("is known again by what it says, and sorts by its time", async () => {
    await using here = await world();
    const line = here.read({ text: "Fine" });
    expect(here.read({ text: "Fine" }).id).toBe(line.id);
    const others = [{ text: "Fine!" }, { rating: "4" }, { email: "bob@example.com" }, { survey: "ces" }];
    for (const other of others) expect(here.read({ text: "Fine", ...other }).id).not.toBe(line.id);
    expect(line.id > idBoundary(line.at)).toBe(true);
    expect(line.id < idBoundary(line.at + 1)).toBe(true);
  });

  it("says nothing of the line in what it refuses", async () => {
    await using here = await world();
    const canary = "canary@example.com";
    const bad: Partial<ImportLine>[] = [
      { email: `<${canary}>` },
      { rating: canary },
      { at: canary },
      { text: canary.repeat(1000) },
    ];
    for (const line of bad) {
      expect(() => here.read(line)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(canary) }),
      );
    }
  });
});
