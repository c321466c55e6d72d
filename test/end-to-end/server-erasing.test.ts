import { readFileSync, writeFileSync } from "node:fs";
import { openStore } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { ServerFolder } from "./server-program.ts";

const answer = "ada@example.com,2,2020-01-01T00:00:00Z,to be forgotten";

const commands = [
  ["project", "purge", "shop", "--yes"],
  ["retention", "--clock-is-right", "--yes"],
];

/** A project with one old answer. */
async function shopFolder(): Promise<ServerFolder> {
  const folder = new ServerFolder();
  writeFileSync(folder.file("a.csv"), `email,rating,at,text\n${answer}\n`);
  await folder.createShop();
  await folder.run("responses", "import", "shop", "a.csv", "--survey", "s");
  return folder;
}

describe("erasing by a command while an export goes on", () => {
  it.each(isFullProof ? commands : commands.slice(0, 1))(
    "%s ends, is in the audit, and says when the text goes",
    async (...words) => {
      using folder = await shopFolder();
      const path = folder.file("afterword.db");
      const store = await openStore(path);
      const isOnDisk = () =>
        [path, `${path}-wal`].some((file) => readFileSync(file, "latin1").includes("to be forgotten"));
      const reading = await store.openExport({ projectId: "shop" });

      const { code, out, error } = await folder.run(...words);
      expect([code, out]).toEqual([0, expect.stringMatching(/^(Erased|Deleted) 1 response/)]);
      expect(error).toContain('"responsesDeleted":1');
      expect(error).toContain(
        "The erased data is still in afterword.db-wal, because an export or a backup is reading it.",
      );
      expect((await folder.run("project", "list")).error).toBe("");
      expect(isOnDisk()).toBe(true);

      await reading.close();
      await folder.run("doctor");
      expect(isOnDisk()).toBe(false);
      await store.close();
    },
  );
});
