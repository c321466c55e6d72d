import { existsSync } from "node:fs";
import { getRequestListener } from "@hono/node-server";
import react from "@vitejs/plugin-react";
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
export default defineConfig({ plugins: [react(), api], server: { port, strictPort: true } });
