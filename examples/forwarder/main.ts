import { Afterword } from "@afterword/node";
import { createForwarder, jsonl, langfuse, phoenix, type Sink } from "@afterword/node/forwarder";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… PHOENIX_BASE_URL=http://localhost:6006 node main.ts

/** Langfuse or Phoenix where their variables are set, else a file. */
function chooseSink(environment: NodeJS.ProcessEnv): Sink {
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey } = environment;
  if (publicKey) return langfuse({ publicKey, secretKey, baseUrl: environment["LANGFUSE_BASE_URL"] });
  const { PHOENIX_BASE_URL: baseUrl, PHOENIX_API_KEY: apiKey } = environment;
  return baseUrl ? phoenix({ baseUrl, apiKey }) : jsonl({ path: "scores.jsonl" });
}

const forwarder = createForwarder({
  client: new Afterword(),
  sink: chooseSink(process.env),
  publishableKey: process.env["AFTERWORD_PUBLISHABLE_KEY"],
  // Include people's words, with e-mail addresses redacted.
  text: (words) => words.replaceAll(/\S{1,64}@\S{1,255}/g, "[e-mail]"),
  logger: console,
  onOutcome: ({ id }, { outcome }) => console.log(`${id} ${outcome}`),
});

process.once("SIGTERM", () => void forwarder.stop());
process.once("SIGINT", () => void forwarder.stop());

await forwarder.start();
