import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examineDisk } from "./examine.ts";
import { networkDisk, refuseNetworkDisk } from "./network-disk.ts";

describe("the disk of a SQLite file", () => {
  it.each([
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xff534d42, "SMB"],
    [0xff534d42 | 0, "SMB"],
    [0xfe534d42, "SMB"],
    [0x5346414f, "AFS"],
  ])("of type %i is %s, and is refused unless it is allowed; doctor says so", (type, name) => {
    const typeOf = () => type;
    const words = `The database a.db is on ${name}, where SQLite can be corrupted`;
    expect(() => refuseNetworkDisk("a.db", false, typeOf)).toThrow(words);
    expect(() => refuseNetworkDisk("a.db", true, typeOf)).not.toThrow();
    expect(examineDisk("a.db", typeOf)).toMatchObject([
      { isGood: false, found: name, advice: expect.stringContaining(words) },
    ]);
  });

  it.each([
    [0x65735546, "FUSE"],
    [0x01021997, "9p"],
    [0x00c36400, "CephFS"],
    [0x0bd00bd0, "Lustre"],
  ])("of type %i is %s, and brings a warning", (type, name) => {
    const typeOf = () => type;
    expect(() => refuseNetworkDisk("a.db", false, typeOf)).not.toThrow();
    expect(networkDisk("a.db", typeOf)).toMatchObject({ name, isRefused: false });
    expect(examineDisk("a.db", typeOf)).toMatchObject([{ isGood: false, found: name }]);
  });

  it.each([0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1])(
    "of type %i is one of this machine",
    (type) => {
      expect(networkDisk("a.db", () => type)).toBeUndefined();
    },
  );

  it("does not matter to a database in memory or on PostgreSQL", () => {
    for (const database of [":memory:", "postgres://host/name"])
      expect(networkDisk(database, () => 0x6969)).toBeUndefined();
  });

  it("is found behind links, for files that are still to be made, and where no folder is", () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-disk-"));
    mkdirSync(join(folder, "data"));
    symlinkSync(join(folder, "data"), join(folder, "link"));
    for (const path of ["link/a.db", "data/a.db", "nowhere/a.db"])
      expect(networkDisk(join(folder, path))).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});
