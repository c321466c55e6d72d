import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { databasePlace, UnusableDatabase } from "@afterword/reference-server/internal";
import { withoutLinks } from "./same-file.ts";

// By the type that statfs(2) has on Linux. All processes of a database in WAL mode share memory, and each flush has to reach the
// disk in order: a network disk promises neither.
const refused: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "SMB",
  0xfe534d42: "SMB",
  0x5346414f: "AFS",
  0x6b414653: "AFS",
};
const doubtful: Readonly<Record<number, string>> = {
  0x65735546: "FUSE",
  0x01021997: "9p",
  0x00c36400: "CephFS",
  0x0bd00bd0: "Lustre",
  0x47504653: "GPFS",
  0x01161970: "GFS2",
  0x7461636f: "OCFS2",
  0x786f4256: "a shared folder of VirtualBox",
};

/** The type of the file system behind a path, links followed. */
export type TypeOfDisk = (path: string) => number;

function typeOfDisk(path: string): number {
  const file = withoutLinks(path);
  // Where the database will be made.
  const there = existsSync(file) ? file : dirname(file);
  return process.platform === "linux" && existsSync(there) ? statfsSync(there).type : 0;
}

/** The disk of a SQLite file if it is, or may be, one of the network, with what an operator has to know and can do. */
export function networkDisk(database: string, typeOf: TypeOfDisk = typeOfDisk) {
  if (databasePlace(database).kind !== "file") return undefined;
  // Signed on some machines.
  const type = typeOf(database) >>> 0;
  const name = refused[type] ?? doubtful[type];
  if (name === undefined) return undefined;
  const isRefused = type in refused;
  const advice = isRefused
    ? `The database ${database} is on ${name}, where SQLite can be corrupted: move it to a disk of this machine or use PostgreSQL. ` +
      "`serve --network-disk allow` starts all the same. Backups may be written there."
    : `The database ${database} is on ${name}. If a network is behind it, SQLite can be corrupted: move it to a disk of this machine or use PostgreSQL.`;
  return { name, isRefused, advice };
}

/** @throws UnusableDatabase for a network disk that is not allowed */
export function refuseNetworkDisk(database: string, isAllowed: boolean, typeOf?: TypeOfDisk): void {
  const disk = networkDisk(database, typeOf);
  if (disk?.isRefused && !isAllowed) throw new UnusableDatabase(disk.advice);
}
