import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

it("documented code compiles against the built packages, also with exactOptionalPropertyTypes", async () => {
  const compiler = at("node_modules/typescript-native/bin/tsc");
  const child = spawn(process.execPath, [compiler, "-p", at("test/documented/tsconfig.json")]);
  let output = "";
  child.stdout.on("data", (chunk) => void (output += String(chunk)));
  await once(child, "close");
  expect(output).toBe("");
}, 60_000);
