import fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";

// Loaded into a command before it starts: ends its process without a word after so many changes of files and databases.

const require = createRequire(process.argv[1]);
let left = Number(process.env.KILL_AFTER);

const end = () => process.kill(process.pid, "SIGKILL");

/** Counts a method's calls, and makes the last one take effect before the end. */
function count(owner, name, isCounted = () => true) {
  const original = owner[name];
  owner[name] = function (...given) {
    const result = original.apply(this, given);
    if (isCounted.call(this, ...given) && --left === 0) end();
    return result;
  };
}

// Lines of the audit's file are written with `writeSync`.
for (const name of [
  "writeFileSync",
  "writeSync",
  "chownSync",
  "chmodSync",
  "renameSync",
  "rmSync",
  "fsyncSync",
])
  count(fs, name);

// Lines of the audit on standard error take effect later.
const { write } = fs;
fs.write = (descriptor, bytes, done) =>
  write(descriptor, bytes, (...result) => {
    if (--left === 0) end();
    done(...result);
  });
syncBuiltinESMExports();

const changes = (sql) => /^\s*(insert|update|delete|commit)/i.test(sql);

const Database = require("better-sqlite3");
count(Database.prototype, "exec", changes);
count(Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1")), "run", function () {
  return changes(this.source);
});

// Sent, but not answered: the database takes back what was not committed.
const { Client } = require("pg");
count(Client.prototype, "query", (query) => changes(query.text ?? query));
