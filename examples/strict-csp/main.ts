import { pageOf, serveSite, startService } from "@afterword/example-site";
import { Hono } from "hono";

const service = await startService([
  {
    id: "page",
    slug: "page",
    type: "csat",
    question: "Did you find what you were looking for?",
    presentation: "banner",
    trigger: "auto",
    status: "active",
  },
]);

// The strictest policy: no inline script or style, no nonce, no HTML from strings.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `connect-src ${service.baseUrl}`,
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const page = pageOf(new URL("index.html", import.meta.url), service);
serveSite(new Hono().get("/", (context) => context.html(page, 200, { "content-security-policy": policy })));
