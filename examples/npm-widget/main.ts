import { startService } from "@afterword/example-site";
import { createServer } from "vite";

const service = await startService([
  {
    id: "ease",
    slug: "ease",
    type: "ces",
    question: "How easy was it to get this done?",
    presentation: "corner",
    trigger: "manual",
    status: "active",
  },
]);
const site = await createServer({
  root: import.meta.dirname,
  define: { SERVICE: JSON.stringify({ key: service.key, baseUrl: service.baseUrl }) },
  server: { host: "127.0.0.1", port: Number(process.env["PORT"] ?? 8080) },
});
await site.listen();
console.log(site.resolvedUrls!.local[0]);
