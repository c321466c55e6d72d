import { startServer } from "@afterword/server";
import { project } from "../conformance/api/projects.ts";

// Stores as many answers as it is told, each after the one before, and ends.

const [database, count] = process.argv.slice(2);
await using server = await startServer({ database, config: { projects: [project("p")] } });
for (let index = 0; index < Number(count); index++)
  await server.seed("p", [{ respondentId: `r${index}`, sessionId: "session", rating: 9 }]);
