import { existsSync } from "node:fs";
import { getRequestListener } from "@hono/node-server";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

if (existsSync(".env")) process.loadEnvFile();

/** While you develop, Vite's own server answers for the API. */
const api: Plugin = {
  name: "api",
  async configureServer({ middlewares }) {
    const { api } = await import("./api.ts");
    const answer = getRequestListener(api.fetch);
    middlewares.use((incoming, outgoing, next) =>
      incoming.url?.startsWith("/api/") ? void answer(incoming, outgoing) : next(),
    );
  },
};

const port = Number(process.env["PORT"] ?? 5173);
export default defineConfig({ plugins: [svelte(), api], server: { port, strictPort: true } });
