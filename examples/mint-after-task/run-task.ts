import { type MintBody } from "@afterword/node";

/** The finished task of each signed-in person; a real server looks it up in its database by session cookie. */
const finished = new Map<string, MintBody>();

/** Stands in for an agent: does a task, whose run the observability service records as a session. */
export async function runTask(person: string, question: string): Promise<string> {
  const answer = `${question.split(/\s+/).length} words, all of them read.`;
  finished.set(person, { respondentId: person, sessionId: `run-${crypto.randomUUID()}`, taskType: "count" });
  return answer;
}

/** The person and the task to ask about; undefined without a finished task. Here a header stands in for the session cookie. */
export const authorize = ({ headers }: Request) => finished.get(headers.get("x-person") ?? "");
