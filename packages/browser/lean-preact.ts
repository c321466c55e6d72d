import { fileURLToPath } from "node:url";

const lean = fileURLToPath(new URL("src/ui/lean-preact.ts", import.meta.url));

/** What bundles that are served as they are take for Preact; see there what it leaves out, and why. */
export const leanPreact: Record<string, string> = { "preact": lean, "preact/jsx-runtime": lean };
