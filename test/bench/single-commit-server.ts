import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createApp, openStore, type ServerConfig, type Store } from "@afterword/server";

// The same server without group commit: a rating is asked to be stored only when the one before it is on disk.
const [, , configFile = "", database = ""] = process.argv;
const store = await openStore(database);
let last: Promise<unknown> = Promise.resolve();

const submit: Store["submit"] = (response) => {
  const stored = last.then(() => store.submit(response));
  last = stored.catch(() => undefined);
  return stored;
};

const config = JSON.parse(readFileSync(configFile, "utf8")) as ServerConfig;
const { app, projects } = await createApp({ config, store: { ...store, submit } });
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, projects })}\n`);
});
