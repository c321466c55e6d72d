import { fileURLToPath } from "node:url";

const lean = fileURLToPath(new URL("src/ui/lean-preact.ts", import.meta.url));

/** Replaces Preact in bundles served as built; `src/ui/lean-preact.ts` says what it leaves out, and why. */
export const leanPreact: Record<string, string> = { "preact": lean, "preact/jsx-runtime": lean };
