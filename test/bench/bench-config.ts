import { writeFileSync } from "node:fs";
import { type ChildServer } from "./child-server.ts";

/** Given, so that a server that is started again on the same database can be asked. */
export const benchSecretKey = `aw_sk_${"b".repeat(30)}`;

/** The server with the keys of its projects, which it does not print when they were given. */
export function withSecretKeys<Server extends ChildServer>(server: Server): Server {
  server.ready.projects[0]!.secretKey = benchSecretKey;
  server.ready.projects[1]!.secretKey = `${benchSecretKey}many`;
  return server;
}

const survey = (id: string) => ({
  id,
  slug: `slug-${id}`,
  type: "nps",
  question: "How likely are you to recommend us to a colleague?",
  followUpQuestion: "What is the main reason for your score?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
});

const surveys = (count: number) => Array.from({ length: count }, (_, index) => survey(`s${index}`));

/** Limits off; three surveys to ask for, and a project of many surveys that yields many tokens per call. */
export function writeBenchConfig(path: string): void {
  const projects = [
    { id: "ask", name: "Ask", secretKey: benchSecretKey, allowedOrigins: [], surveys: surveys(3) },
    {
      id: "many",
      name: "Many",
      secretKey: `${benchSecretKey}many`,
      allowedOrigins: [],
      surveys: surveys(100),
    },
  ];
  writeFileSync(path, JSON.stringify({ rateLimits: false, projects }));
}
