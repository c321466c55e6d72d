import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { endOf } from "../program-end.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

it("documented code compiles against the built packages, also with exactOptionalPropertyTypes", async () => {
  const compiler = at("node_modules/typescript-native/bin/tsc");
  const child = spawn(process.execPath, [compiler, "-p", at("test/documented/tsconfig.json")]);
  expect((await endOf(child)).out).toBe("");
}, 60_000);
