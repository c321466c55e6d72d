import { Afterword } from "@afterword/node";
import { createForwarder, defineSink, type DeliverableScore, type Outcome } from "@afterword/node/forwarder";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… AFTERWORD_PUBLISHABLE_KEY=… CHAT_URL=https://… node own-sink.ts

async function post({ sessionId, rating }: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
  const body = JSON.stringify({ text: `Rated ${rating}: session ${sessionId}` });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(process.env["CHAT_URL"]!, { method: "POST", headers, body, signal });
  if (reply.ok) return { outcome: "delivered" };
  const reason = `the chat answered ${reply.status}`;
  if (reply.status === 400) return { outcome: "permanent", reason }; // it will never take this message
  if (reply.status === 401 || reply.status === 403) return { outcome: "fatal", reason }; // nor any other
  return { outcome: "retry", reason, scope: "sink" };
}

/** Posts bad ratings to a chat channel. */
const chat = defineSink({
  name: "chat",
  deliver: (scores, { signal }) =>
    Promise.all(
      scores.map((score) =>
        score.normalised! < 0.5 ? post(score, signal) : { outcome: "delivered" as const },
      ),
    ),
});

const { AFTERWORD_PUBLISHABLE_KEY: publishableKey } = process.env;
const forwarder = createForwarder({ client: new Afterword(), sink: chat, publishableKey, logger: console });
process.once("SIGTERM", () => void forwarder.stop());
process.once("SIGINT", () => void forwarder.stop());

await forwarder.start();
