import { readFileSync } from "node:fs";
import { pageOf, serveSite, startService } from "@afterword/example-site";
import { Hono } from "hono";
const service = await startService([
  {
    id: "stars",
    slug: "stars",
    type: "csat",
    question: "How many stars for this answer?",
    presentation: "inline",
    trigger: "auto",
    status: "active",
  },
]);
const page = pageOf(new URL("index.html", import.meta.url), service);
const script = readFileSync(new URL("stars.js", import.meta.url));
serveSite(
  new Hono()
    .get("/", (context) => context.html(page))
    .get("/stars.js", (context) => context.body(script, 200, { "content-type": "text/javascript" })),
);
