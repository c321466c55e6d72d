import type { ErasableScore, ErasureOutcome } from "../scores/sink.ts";
import { eraseEach, type SinkCall } from "./http-sink.ts";
import type { SinkReply } from "./sink-request.ts";
import { erasureOutcome } from "./status-outcome.ts";

/**
 * Deletes annotations by their identifier. Phoenix deletes within one project and one kind of target, and an exported
 * response names neither, so every project and kind is tried.
 */
export function phoenixErasure(projects: readonly string[] | undefined) {
  const isNamed = projects !== undefined;

  async function eraseOne({ id }: ErasableScore, all: readonly string[], { send }: SinkCall) {
    const filter = new URLSearchParams({ identifier: id, delete_all: "true" });
    for (const project of all) {
      for (const kind of ["session", "span", "trace"]) {
        const path = `/v1/projects/${encodeURIComponent(project)}/${kind}_annotations?${filter}`;
        const outcome = verdict(await send({ method: "DELETE", path }), isNamed);
        if (outcome.outcome !== "erased") return outcome;
      }
    }
    return { outcome: "erased" } as const;
  }

  return async (scores: readonly ErasableScore[], call: SinkCall): Promise<ErasureOutcome[]> => {
    const all = projects ?? (await allProjects(call));
    if ("outcome" in all) return scores.map(() => all);
    return await eraseEach((score) => eraseOne(score, all, call))(scores, call);
  };
}

/** A project from the options must exist; one that Phoenix has just listed may have been deleted since. */
function verdict(reply: SinkReply, isNamed: boolean): ErasureOutcome {
  if (reply.kind === "reply" && reply.status === 405) {
    return {
      outcome: "unsupported",
      reason: `${reply.reason}; this Phoenix is too old to delete annotations`,
    };
  }
  const isUnknownProject = reply.kind === "reply" && reply.status === 404 && isNamed;
  return isUnknownProject
    ? { outcome: "failed", reason: `${reply.reason}: no such project` }
    : erasureOutcome(reply);
}

async function allProjects({ send }: SinkCall): Promise<string[] | ErasureOutcome> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: "100", ...(cursor === null ? {} : { cursor }) });
    const reply = await send({ method: "GET", path: `/v1/projects?${query}` });
    const body = reply.kind === "reply" && reply.status === 200 ? (reply.body as ProjectPage | null) : null;
    if (!Array.isArray(body?.data)) return { outcome: "failed", reason: reply.reason };
    ids.push(...body.data.map((project) => project.id));
    cursor = body.next_cursor ?? null;
  } while (cursor !== null);
  return ids;
}

interface ProjectPage {
  data: { id: string }[];
  next_cursor?: string | null;
}
