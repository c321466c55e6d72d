import { type ShownReply } from "@afterword/protocol";
import { type Project } from "./project-directory.ts";
import { type Service } from "./service.ts";
import { countToken, openToken } from "./spend-token.ts";

/** Counts that a survey was shown, once for each token. Stores nothing else, and leaves the token as it is. */
export async function reportShown(service: Service, known: Project, token: string): Promise<ShownReply> {
  const { payload, project } = await openToken(service, known, token);
  if (service.runCounts.isNew(payload.tokenId)) countToken(service, project, payload, "shown");
  return { ok: true };
}
