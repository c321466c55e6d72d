import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docker, hasEngine, onThisMachine, repository } from "./docker.ts";

/** Builds both images once for all tests, as their Dockerfiles say, on the bases that are there. */
export default async function setup(): Promise<void> {
  if (!hasEngine) return;
  const file = join(repository, "packages/server/Dockerfile");
  await docker("build", ...onThisMachine, "--file", file, "--tag", "afterword-server", repository);

  const context = mkdtempSync(join(tmpdir(), "afterword-forwarder-context-"));
  cpSync(join(repository, "packages/node/deploy"), context, { recursive: true });
  const pack = ["-y", "pnpm@12", "--filter", "@afterword/node", "pack", "--pack-destination", context];
  execFileSync("npx", pack, { cwd: repository, stdio: ["ignore", "ignore", "inherit"], timeout: 60_000 });
  const tarball = "PACKAGE=./afterword-node-0.1.0.tgz";
  await docker("build", ...onThisMachine, "--build-arg", tarball, "--tag", "afterword-forwarder", context);
  rmSync(context, { recursive: true });
}
