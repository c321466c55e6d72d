import { Afterword, createMintHandler, type MintBody } from "@afterword/node";
import { getRequestListener } from "@hono/node-server";
import createExpress from "express";
import createFastify from "fastify";
import { Hono } from "hono";

// One handler, and its route in each framework: keep the lines of yours.

/** The finished task of each person who is signed in; yours are in your database. */
export const finished = new Map<string, MintBody>();
/** Here a header stands for the session cookie; without a finished task there is nobody to ask. */
const authorize = ({ headers }: Request) => finished.get(headers.get("x-person") ?? "");

const mint = createMintHandler({
  client: new Afterword(), // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL
  authorize,
  surveyId: "task-done",
  logger: console,
});

export const hono = new Hono();
hono.all("/feedback", ({ req }) => mint(req.raw));

// Next.js: app/feedback/route.ts. It answers other methods with 405 by itself.
export const POST = mint;

/** Express and Fastify have requests of their own, which this makes standard ones. */
const listener = getRequestListener(mint);

export const express = createExpress();
express.all("/feedback", listener);

export const fastify = createFastify();
fastify.all("/feedback", ({ raw }, reply) => {
  reply.hijack(); // the listener replies
  return listener(raw, reply.raw);
});
