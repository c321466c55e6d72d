import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages } from "./pack-packages.ts";
import { startRegistry } from "./start-registry.ts";

// `npx -y pnpm@12 registry`: all packages of this clone, for the package managers of this machine.
const packed = mkdtempSync(join(tmpdir(), "afterword-packed-"));
await using registry = await startRegistry();
await registry.publish(await packPackages(packed));
rmSync(packed, { recursive: true });
const { url } = registry;
// pnpm has its own name for it.
console.log(`Enter this where you install:  export npm_config_registry=${url} pnpm_config_registry=${url}`);
console.log("Ctrl-C ends the registry.");
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
