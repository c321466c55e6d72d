import type { ErasableScore, ErasureOutcome, SinkOptions } from "../scores/sink.ts";
import { eachErasure } from "./each-score.ts";
import type { SendToSink, SinkAnswer } from "./sink-request.ts";
import { erasureOutcome } from "./status-outcome.ts";

/**
 * Deletes annotations by their identifier. Phoenix deletes within one project and one kind of target, and an exported
 * response names neither, so every project and kind is tried.
 */
export function phoenixErasure(send: SendToSink, projects: readonly string[] | undefined) {
  const isNamed = projects !== undefined;

  async function eraseOne({ id }: ErasableScore, all: readonly string[], signal: AbortSignal) {
    const filter = new URLSearchParams({ identifier: id, delete_all: "true" });
    for (const project of all) {
      for (const kind of ["session", "span", "trace"]) {
        const path = `/v1/projects/${encodeURIComponent(project)}/${kind}_annotations?${filter}`;
        const outcome = verdict(await send({ method: "DELETE", path }, signal), isNamed);
        if (outcome.outcome !== "erased") return outcome;
      }
    }
    return { outcome: "erased" } as const;
  }

  return async (scores: readonly ErasableScore[], { signal }: SinkOptions): Promise<ErasureOutcome[]> => {
    const all = projects ?? (await allProjects(send, signal));
    if ("outcome" in all) return scores.map(() => all);
    return eachErasure((score) => eraseOne(score, all, signal))(scores, { signal });
  };
}

/** A project from the options must exist; one that Phoenix has just listed may have been deleted since. */
function verdict(answer: SinkAnswer, isNamed: boolean): ErasureOutcome {
  if (answer.kind === "answer" && answer.status === 405) {
    return {
      outcome: "unsupported",
      reason: `${answer.reason}; this Phoenix is too old to delete annotations`,
    };
  }
  const isUnknownProject = answer.kind === "answer" && answer.status === 404 && isNamed;
  return isUnknownProject
    ? { outcome: "failed", reason: `${answer.reason}: no such project` }
    : erasureOutcome(answer);
}

async function allProjects(send: SendToSink, signal: AbortSignal): Promise<string[] | ErasureOutcome> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: "100", ...(cursor === null ? {} : { cursor }) });
    const answer = await send({ method: "GET", path: `/v1/projects?${query}` }, signal);
    const body =
      answer.kind === "answer" && answer.status === 200 ? (answer.body as ProjectPage | null) : null;
    if (!Array.isArray(body?.data)) return { outcome: "failed", reason: answer.reason };
    ids.push(...body.data.map((project) => project.id));
    cursor = body.next_cursor ?? null;
  } while (cursor !== null);
  return ids;
}

interface ProjectPage {
  data: { id: string }[];
  next_cursor?: string | null;
}
