import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestProject } from "vitest/node";
import { packPackages } from "../registry/pack-packages.ts";
import { startRegistry } from "../registry/start-registry.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where all packages of this clone can be installed from. */
    registryUrl: string;
  }
}

/** Starts one registry for all files; answers how to stop it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packed = mkdtempSync(join(tmpdir(), "afterword-packed-"));
  const registry = await startRegistry();
  await registry.publish(await packPackages(packed));
  rmSync(packed, { recursive: true });
  project.provide("registryUrl", registry.url);
  return registry.stop;
}
