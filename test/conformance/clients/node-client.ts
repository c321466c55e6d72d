import { Afterword, AfterwordError, AfterwordRespondent } from "@afterword/node";
import { createForwarder, defineSink } from "@afterword/node/forwarder";

// The node client as the kit drives it (docs/reference/conformance.md): one task, then one line of JSON.

interface Task {
  respondentId?: string;
  sessionId?: string;
  surveyId: string;
  rating: number;
  text?: string;
  token?: string;
  traits?: Record<string, string | number | null>;
  language?: string;
  dismiss?: true;
}

const task = JSON.parse(process.env["AFTERWORD_TASK"]!) as Task;
const say = (said: object) => void process.stdout.write(`${JSON.stringify(said)}\n`);
const connection = { timeoutInMs: 5_000 };

async function mint(): Promise<void> {
  const { respondentId = "", sessionId = "", surveyId } = task;
  const client = new Afterword(connection);
  const minted = await client.mint({ respondentId, sessionId, surveyId }).catch(() => undefined);
  say({ tokens: minted?.tokens ?? {} });
}

async function page(): Promise<void> {
  const { respondentId: userId, surveyId, token, sessionId = "", traits, language, rating, text } = task;
  const person = new AfterwordRespondent({ ...connection, userId, traits, language });
  if (token) person.install({ surveyId, token, sessionId });
  const ask = await person.nextAsk({ surveyId }).catch(() => undefined);
  if (!ask) return say({ result: "nothing" });
  const { question, followUpQuestion } = ask.words(rating);
  // A person presses Send again after a failure that may pass; the ask uses its token up only once.
  for (let attempts = 0; attempts < 3; attempts++) {
    try {
      await (task.dismiss ? ask.dismiss() : ask.submit({ rating, text }));
      return say({ result: "stored", question, followUpQuestion });
    } catch (error) {
      if (!AfterwordError.isInstance(error) || !error.retryable) break;
    }
  }
  say({ result: "refused", question, followUpQuestion });
}

async function forward(): Promise<void> {
  const sink = defineSink({
    name: "kit",
    async deliver(scores, { signal }) {
      return await Promise.all(
        scores.map(async (score) => {
          const body = JSON.stringify(score);
          const { status } = await fetch(process.env["AFTERWORD_SINK_URL"]!, {
            method: "POST",
            body,
            signal,
          });
          const reason = `status ${status}`;
          if (status < 300) return { outcome: "delivered" } as const;
          return status < 500
            ? ({ outcome: "permanent", reason } as const)
            : ({ outcome: "retry", reason } as const);
        }),
      );
    },
  });
  await createForwarder({ client: new Afterword(connection), sink }).runOnce();
}

const roles: Record<string, () => Promise<void>> = { mint, page, forward };
await roles[process.env["AFTERWORD_ROLE"]!]!().catch((error: Error) => console.error(error.message));
