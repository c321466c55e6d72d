import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { api } from "./api.ts";

api.get("*", serveStatic({ root: "dist" })); // the built page
serve({ fetch: api.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 8080) });
