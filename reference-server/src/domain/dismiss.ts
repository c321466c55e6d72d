import { type DismissalBody, type IngestOk } from "@afterword/protocol";
import { type ExistingRecord, type NewDismissal } from "../store/store.ts";
import { timestamp } from "./clock.ts";
import { type Project } from "./project-directory.ts";
import { newRecordId } from "./record-id.ts";
import { Refusal } from "./refusal.ts";
import { type Service } from "./service.ts";
import { type TokenPayload } from "./show-token.ts";
import { existingOf, openToken, preferUsed, recordOf, spentBy, surveyOf } from "./spend-token.ts";

export interface Dismissed {
  reply: IngestOk;
  /** Whether the same token was dismissed before; nothing was stored then. */
  isRepeated: boolean;
}

const dismissed = (id: string, at: string, isRepeated: boolean): Dismissed => ({
  reply: { ok: true, id, at },
  isRepeated,
});

/** A repeated dismissal is answered as the first one was; a token that a response used is refused (D8, D9). */
function repeated(existing: ExistingRecord): Dismissed {
  const original = existingOf(existing);
  if (existing.kind === "dismissal" && original) return dismissed(original.id, original.at, true);
  throw new Refusal("token_used", { status: 401, existing: original });
}

function dismissalOf(
  service: Service,
  project: Project,
  payload: TokenPayload,
  body: DismissalBody,
): NewDismissal {
  surveyOf(project, payload, body.surveyId);
  const at = service.clock.now();
  return { ...recordOf(service, project, payload, body.userId), id: newRecordId(at), at };
}

/** Stores that the person closed the survey and uses up the token (decisions D6 to D9). */
export async function dismiss(service: Service, known: Project, body: DismissalBody): Promise<Dismissed> {
  const { project, payload } = await openToken(service, known, body.showToken, service.clock.now());
  let dismissal: NewDismissal;
  try {
    dismissal = dismissalOf(service, project, payload, body);
  } catch (refusal) {
    return repeated(await preferUsed(service, project, payload, refusal));
  }
  const existing = spentBy(await service.store.dismiss(dismissal));
  return existing ? repeated(existing) : dismissed(dismissal.id, timestamp(dismissal.at), false);
}
