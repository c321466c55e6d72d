import { expect, it } from "vitest";
import { aClient, readAll } from "./a-client.ts";
import { answer } from "./recipes/with-feedback.ts";

it("a function that is no framework's mints by the documented recipe", async () => {
  const agent = { answer: async (question: string) => new Response(`You asked: ${question}`).body! };
  const chat = { id: "chat-of-jo", userId: "jo", agent };
  const { result, feedback } = answer(aClient(), chat, "Refund my order");
  await readAll(await result);
  await expect(feedback).resolves.toMatchObject({ sessionId: "chat-of-jo" });
});
