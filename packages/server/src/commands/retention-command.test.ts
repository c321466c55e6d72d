import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AfterwordServer, noon, survey } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const day = 86_400_000;

async function withAnswersOf(agesInDays: number[]) {
  const server = await AfterwordServer.withShop();
  await server.apply([survey("satisfaction")]);
  const rows = agesInDays.map(
    (age) => `p@example.com,satisfaction,4,${new Date(noon - age * day).toISOString()},${age} days old`,
  );
  const file = server.file("a.csv", `email,survey,rating,at,text\n${rows.join("\n")}\n`);
  expect((await server.run(`responses import shop ${file}`)).code).toBe(0);
  return server;
}

async function left(server: AfterwordServer) {
  await using shop = await Shop.open({ database: server.database, clock: { now: () => noon } });
  const rows = await shop.export();
  return rows.map((row) => [Math.round((noon - Date.parse(row["at"] as string)) / day), row["text"]]);
}

describe("retention", () => {
  it("deletes responses after 730 days and texts after 365, keeping ratings", async () => {
    using server = await withAnswersOf([1, 364, 366, 729, 731, 2000]);
    const { out } = await server.run("retention --yes --json");
    expect(JSON.parse(out)).toEqual({
      responsesDeleted: 2,
      dismissalsDeleted: 0,
      textsRemoved: 2,
      runsForgotten: 0,
    });
    expect((await left(server)).sort(([one], [other]) => (one as number) - (other as number))).toEqual([
      [1, "1 days old"],
      [364, "364 days old"],
      [366, null],
      [729, null],
    ]);
  });

  it("removes the texts from the disk, not only from the answers", async () => {
    using server = await withAnswersOf([1, 400]);
    expect(readFileSync(server.database, "latin1")).toContain("400 days old");
    await server.run("retention --yes");
    for (const file of [server.database, `${server.database}-wal`]) {
      expect(readFileSync(file, { encoding: "latin1", flag: "a+" })).not.toContain("400 days old");
    }
  });

  it("keeps everything where the number of days is 0", async () => {
    using server = await withAnswersOf([1, 5000]);
    await server.run("retention --yes --response-retention-days 0 --text-retention-days 0");
    expect(await left(server)).toHaveLength(2);
  });

  it("removes the text of a score that the sink refused for good after 30 days", async () => {
    using server = new AfterwordServer();
    {
      await using shop = await Shop.open({ database: server.database, clock: { now: () => noon } });
      const refused = await shop.answer({ respondentId: "ada", text: "refused" });
      await shop.answer({ respondentId: "bob", text: "waits" });
      await shop.asServer("POST", "/v1/sdk/pending-scores/ack", {
        results: [{ id: refused, state: "failed" }],
      });
    }
    const textsAfter = async (days: number, flags = "") => {
      await server.run(`retention --clock-is-right --yes${flags}`, { now: noon + days * day });
      return (await left(server)).map(([, text]) => text);
    };
    expect(await textsAfter(29)).toEqual(["refused", "waits"]);
    expect(await textsAfter(31, " --failed-text-retention-days 0")).toEqual(["refused", "waits"]);
    expect(await textsAfter(31)).toEqual([null, "waits"]);
  });

  it("deletes nothing when the clock is far ahead of the last clean-up, which doctor reports, until it is accepted", async () => {
    using server = await withAnswersOf([1, 100]);
    expect((await server.run("retention --yes")).code).toBe(0);
    const wrong = { now: noon + 1000 * day };
    const { code, error } = await server.run("retention --yes", wrong);
    expect(code).toBe(3);
    expect(error).toContain("The clock says 2028-11-25T12:00:00.000Z, 24000.0 h ahead of the last clean-up");
    expect(error).toContain("retention --clock-is-right");
    expect(await left(server)).toHaveLength(2);
    const doctor = await server.run("doctor --json", wrong);
    const finding = { name: "clock of clean-ups", isGood: false };
    expect(doctor.json()["findings"]).toContainEqual(expect.objectContaining(finding));
    const accepted = await server.run("retention --clock-is-right --yes --json", wrong);
    expect(accepted.json()).toMatchObject({ responsesDeleted: 2 });
    expect((await server.run("retention --yes", wrong)).code).toBe(0);
  });

  it("asks first and says what it would delete", async () => {
    using server = await withAnswersOf([1, 1000]);
    const { code, error } = await server.run("retention");
    expect(code).toBe(3);
    expect(error).toContain(
      "Permanently deletes responses older than 730 days, texts older than 365 days, texts of failed scores older than " +
        "30 days, and records of rated runs older than 400 days.",
    );
    expect(await left(server)).toHaveLength(2);
  });

  it("says in its confirmation that 0 days delete nothing", async () => {
    using server = await withAnswersOf([1, 1000]);
    const some = await server.run("retention --response-retention-days 0 --text-retention-days 0");
    expect(some.error).toContain(
      "Permanently deletes texts of failed scores older than 30 days and records of rated runs older than 400 days. " +
        "Not deleted by age: responses and texts.",
    );
    const kinds = ["response", "text", "failed-text", "run"];
    const none = await server.run(`retention ${kinds.map((kind) => `--${kind}-retention-days 0`).join(" ")}`);
    expect(none.error).toContain("Deletes nothing. Not deleted by age: responses, texts,");
  });
});
