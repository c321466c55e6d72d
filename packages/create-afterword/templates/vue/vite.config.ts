import { existsSync } from "node:fs";
import { getRequestListener } from "@hono/node-server";
import vue from "@vitejs/plugin-vue";
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

const isCustomElement = (tag: string) => tag.startsWith("afterword-");
const port = Number(process.env["PORT"] ?? 5173);
export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement } } }), api],
  server: { port, strictPort: true },
});
