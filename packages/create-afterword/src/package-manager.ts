/** The program that runs `create`, which installs too. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

const known: readonly PackageManager[] = ["npm", "pnpm", "yarn", "bun"];

/** From `npm_config_user_agent`, which all of them set: "pnpm/10.1.0 npm/? node/v24 linux x64". */
export function packageManager(userAgent = ""): PackageManager {
  const [name] = userAgent.split("/");
  return known.find((one) => one === name) ?? "npm";
}

/** Runs the program of a package that is not installed. */
export const runsPackage: Record<PackageManager, string[]> = {
  npm: ["npx", "-y"],
  pnpm: ["pnpm", "dlx"],
  yarn: ["yarn", "dlx"],
  bun: ["bunx"],
};

/** What an installation leaves beside `package.json` or `requirements.txt`. */
export const installed = [
  "node_modules",
  "package-lock.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "yarn.lock",
  "bun.lock",
  ".yarn",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  ".venv",
] as const;
