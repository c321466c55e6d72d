import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf } from "../conformance/api/projects.ts";
import { commandsOf, prepare, runCommands } from "../end-to-end/documented-commands.ts";
import { ServerFolder } from "../end-to-end/server-program.ts";

const hasAge = spawnSync("age", ["--version"]).status === 0;
if (!hasAge) console.warn("skipped: no age to encrypt a backup with");

it.skipIf(!hasAge)(
  "a backup encrypted as the page on backups says comes back as the page on restoring says",
  async () => {
    using folder = new ServerFolder();
    prepare(folder);
    await using service = await folder.serve("--config", "config.json", "--erasure-log", "erasures.jsonl");
    const shop = new ApiClient(service.url, keysOf("shop"));
    for (const person of ["ada", "bob"]) await shop.answer("shop-nps", person);
    await runCommands("age-keygen -o backup-identity.txt", folder);
    const [, key] = /public key: (age1\w+)/.exec(readFileSync(folder.file("backup-identity.txt"), "utf8"))!;
    await runCommands(`mkdir backups\n${commandsOf("operate/backups")[2]!}`, folder, { BACKUP_KEY: key! });
    expect(existsSync(folder.file("backups/copy.db"))).toBe(false);
    await shop.erase({ respondentId: "bob" });
    const [drill, decryption] = commandsOf("operate/restoring");
    const inPlaceOfRestore = drill!.replace(/^afterword-server restore .*\n/m, decryption!);
    const { out } = await runCommands(inPlaceOfRestore, folder);
    expect(out).toContain("Repeated 1 erasure: deleted 1 response");
    expect(out).toMatch(/All is well\.\n\s*1\s*$/);
    expect(existsSync(folder.file("drill/copy.db"))).toBe(false);
    copyFileSync(folder.file("afterword.db.key"), folder.file("other.db.key"));
    const direct =
      "afterword-server restore --db other.db --without-erasure-log backups/*.age 2>&1 || echo $?";
    const refused = await runCommands(direct, folder);
    expect(refused.out).toMatch(/\.db\.age is encrypted: decrypt it first, with age --decrypt.*\n3\n/);
  },
);
