import { Afterword } from "@afterword/node";
import { createForwarder, langfuse, phoenix, type Sink } from "@afterword/node/forwarder";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… PHOENIX_BASE_URL=http://localhost:6006 node main.ts

/** Langfuse where its keys are set, else Phoenix. */
function chooseSink(environment: NodeJS.ProcessEnv): Sink {
  const publicKey = environment["LANGFUSE_PUBLIC_KEY"];
  if (publicKey === undefined) {
    return phoenix({ baseUrl: environment["PHOENIX_BASE_URL"], apiKey: environment["PHOENIX_API_KEY"] });
  }
  const secretKey = environment["LANGFUSE_SECRET_KEY"];
  return langfuse({ publicKey, secretKey, baseUrl: environment["LANGFUSE_BASE_URL"] });
}

const forwarder = createForwarder({
  client: new Afterword(),
  sink: chooseSink(process.env),
  publishableKey: process.env["AFTERWORD_PUBLISHABLE_KEY"],
  // Include people's words, with e-mail addresses redacted.
  text: (words) => words.replaceAll(/\S+@\S+/g, "[e-mail]"),
  logger: console,
  onOutcome: ({ id }, { outcome }) => console.log(`${id} ${outcome}`),
});

process.once("SIGTERM", () => void forwarder.stop());
process.once("SIGINT", () => void forwarder.stop());

await forwarder.start();
