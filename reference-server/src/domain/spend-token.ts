import { type ExistingRecord, type SpendOutcome } from "../store/store.ts";
import { timestamp } from "./clock.ts";
import { type Project } from "./project-directory.ts";
import { type SurveyRecord } from "../store/project.ts";
import { Refusal } from "./refusal.ts";
import { respondentHash } from "./respondent-hash.ts";
import { type Service } from "./service.ts";
import { ledgerKey, type TokenPayload } from "./show-token.ts";

/** A token that may be spent, and the project as it is now. */
interface OpenedToken {
  project: Project;
  payload: TokenPayload;
}

function assertFresh(project: Project, payload: TokenPayload): OpenedToken {
  if (payload.epoch !== project.epoch) throw staleToken();
  return { project, payload };
}

/** Opens a token and refuses one from before the project's last purge, whichever node did that (decision D21). */
export function openToken(
  service: Service,
  known: Project,
  token: string,
  now: number,
): OpenedToken | Promise<OpenedToken> {
  const payload = service.tokens.open(known.id, token, now);
  const project = service.directory.current(known, payload.epoch);
  if (project instanceof Promise) return project.then((current) => assertFresh(current, payload));
  return assertFresh(project, payload);
}

export function staleToken(): Refusal {
  return new Refusal("token_invalid", { detail: "The project's data was purged; fetch a new show-token." });
}

/** The survey that both the body and the token name (decision D17). */
export function surveyOf(project: Project, payload: TokenPayload, surveyId: string): SurveyRecord {
  const survey = project.surveysById.get(surveyId);
  if (!survey)
    throw new Refusal("survey_not_found", { detail: "Bootstrap lists the surveys of the project." });
  if (payload.surveyId !== surveyId) {
    throw new Refusal("token_invalid", { detail: "Use the show-token that was issued for this survey." });
  }
  return survey;
}

/**
 * A used token is reported before anything that is wrong with the rest of the request (decision D19). The ledger is
 * asked only when the request is about to be refused anyway: otherwise spending the token finds out.
 */
export async function preferUsed(
  service: Service,
  project: Project,
  payload: TokenPayload,
  refusal: unknown,
): Promise<ExistingRecord> {
  const existing = await service.store.spentToken(project.id, ledgerKey(payload));
  if (existing) return existing;
  throw refusal;
}

/** What every record that spends a token stores of it. The token's respondent wins over a claim (decision D16). */
export function recordOf(
  service: Service,
  project: Project,
  payload: TokenPayload,
  claimedUserId: string | undefined,
) {
  const respondentId = payload.respondentId ?? claimedUserId;
  const pepper = service.secrets.pepper(project.id, project.pepperSalt);
  return {
    token: {
      projectId: project.id,
      epoch: payload.epoch,
      tokenId: ledgerKey(payload),
    },
    surveyId: payload.surveyId,
    respondentId,
    respondentHash: respondentId === undefined ? undefined : respondentHash(pepper, respondentId),
  };
}

/** The record that used the token, as a refusal tells it; nothing once it was erased (decision D10). */
export function existingOf({ id, at, kind }: ExistingRecord) {
  return id === undefined || at === undefined ? undefined : { id, at: timestamp(at), kind };
}

/** The record that used the token, or nothing when this very call did. */
export function spentBy(outcome: SpendOutcome): ExistingRecord | undefined {
  if (outcome.outcome === "stale") throw staleToken();
  return outcome.outcome === "spent" ? outcome.existing : undefined;
}
