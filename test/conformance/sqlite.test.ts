import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { storeSuite } from "./store.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-conformance-"));
let databases = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

storeSuite("SQLite", async () => join(folder, `${++databases}.db`));
