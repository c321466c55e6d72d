import { pageOf, serveSite, startService } from "@afterword/example-site";
import { Hono } from "hono";

// The survey asks by itself, two seconds after the page is there.
const service = await startService([
  {
    id: "visit",
    slug: "visit",
    type: "nps",
    question: "Would you recommend this shop?",
    followUpQuestion: "What is the main reason?",
    presentation: "corner",
    trigger: "auto",
    delayMs: 2000,
    status: "active",
  },
]);
const page = pageOf(new URL("index.html", import.meta.url), service);
serveSite(new Hono().get("/", (context) => context.html(page)));
