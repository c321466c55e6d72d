import { type Feedback, withFeedback } from "@afterword/node";
import { describe, expect, it } from "vitest";
import { aClient, readAll } from "./a-client.ts";
import { answer } from "./recipes/with-feedback.ts";
import { parts, streaming, type Reason } from "./ai-sdk-models.ts";

const options = () => ({ client: aClient(), respondentId: "respondent-1", sessionId: "session-1" });

type Run = ReturnType<typeof streaming>;

/** The ways in which a server hands a run of the AI SDK to its page. */
const handOvers: [string, (run: Run) => Promise<Feedback | undefined>][] = [
  [
    "its result",
    async (run) => {
      const { result, feedback } = withFeedback(run, options());
      await readAll(result.textStream);
      return feedback;
    },
  ],
  [
    "its stream of parts",
    async (run) => {
      const { result, feedback } = withFeedback(run.stream, options());
      await readAll(result);
      return feedback;
    },
  ],
  [
    "its response to a page",
    async (run) => {
      const { result, feedback } = withFeedback(run.toUIMessageStreamResponse(), options());
      await result.text();
      return feedback;
    },
  ],
];

describe.each(handOvers)("a run of the AI SDK that is handed over as %s", (_, feedbackOf) => {
  it("mints when it stops by itself", async () => {
    await expect(feedbackOf(streaming(...parts("stop")))).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it.each<Reason>(["error", "length", "content-filter"])(
    "mints nothing when it finishes with %s",
    async (reason) => {
      await expect(feedbackOf(streaming(...parts(reason)))).resolves.toBeUndefined();
    },
  );

  it("mints nothing when its stream reports an error", async () => {
    const broken = parts("error", { type: "error", error: new Error("the model hung up") });
    await expect(feedbackOf(streaming(...broken))).resolves.toBeUndefined();
  });
});

it("a function that is no framework's mints by the documented recipe", async () => {
  const agent = { answer: async (question: string) => new Response(`You asked: ${question}`).body! };
  const chat = { id: "chat-of-jo", userId: "jo", agent };
  const { result, feedback } = answer(aClient(), chat, "Refund my order");
  await readAll(await result);
  await expect(feedback).resolves.toMatchObject({ sessionId: "chat-of-jo" });
});
