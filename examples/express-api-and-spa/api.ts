import { randomUUID } from "node:crypto";
import { Afterword, createMintHandler, type MintBody } from "@afterword/node";
import { getRequestListener } from "@hono/node-server";
import express from "express";

const page = process.env["PAGE_ORIGIN"] ?? "http://127.0.0.1:4173";
/** The last run of each person; a real server looks it up in its database. */
const finished = new Map<string, MintBody>();
const personOf = (cookies = "") => /person=([\w-]+)/.exec(cookies)?.[1];

const mint = createMintHandler({
  client: new Afterword(), // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL
  surveyId: "answer",
  allowedOrigins: [page], // answers the page's preflight, too
  authorize: (request) => finished.get(personOf(request.headers.get("cookie") ?? "") ?? ""),
  logger: console,
});

const api = express();
api.all("/feedback", getRequestListener(mint));
api.post("/answer", express.text(), (request, response) => {
  const person = personOf(request.headers.cookie) ?? randomUUID(); // your session cookie
  finished.set(person, { respondentId: person, sessionId: randomUUID() });
  response.set({ "access-control-allow-origin": page, "access-control-allow-credentials": "true" });
  response.cookie("person", person, { httpOnly: true, sameSite: "lax" });
  response.json({ text: `You asked: ${request.body}`, person }); // your agent's work
});
api.listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1");
