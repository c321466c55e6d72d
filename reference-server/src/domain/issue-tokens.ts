import { type MintBody, type MintedRun, type MintReason, type MintReply } from "@afterword/protocol";
import { dayOf, ofPage, type AskFacts } from "../store/store.ts";
import { eligibility, isEachRun, maximumOf } from "./gating.ts";
import { type Project } from "./project-directory.ts";
import { keyedHash, respondentHash, runHash, runTokenHash } from "./respondent-hash.ts";
import { newRecordId, timestamp } from "./ids-and-times.ts";
import { type Service } from "./service.ts";
import { sampledAs, type Sampled } from "./run-sampling.ts";
import { runTokenId, sealShowToken } from "./show-token.ts";

/** The session that minted tokens are bound to; absent for bootstrap. */
export type Binding = Pick<MintBody, "sessionId" | "observationId" | "taskType">;

export interface IssueRequest {
  respondentId?: string;
  /** Only this one; a survey that is unknown or not active yields no token. */
  surveyId?: string;
  binding?: Binding;
  /** Facts about the run, beside its session. */
  run?: MintedRun;
  /** Whether the tokens are not sent, so that nothing is counted. */
  isHead?: boolean;
}

function factsFor(service: Service, project: Project, request: IssueRequest): Promise<AskFacts> {
  const { respondentId, binding } = request;
  const { pepper, gating, activeSurveys } = project;
  const counted = activeSurveys.filter((survey) => maximumOf(project, survey) !== undefined);
  const countedSurveyIds = counted.map(({ id }) => id);
  if (respondentId === undefined) return service.store.askFacts(project.id, { countedSurveyIds });
  const hasRuns = activeSurveys.some(isEachRun);
  return service.store.askFacts(project.id, {
    respondentHash: respondentHash(pepper, respondentId),
    runHash: binding && hasRuns ? runHash(pepper, respondentId, binding) : undefined,
    mostAsks: gating.monthlyCap,
    countedSurveyIds,
  });
}

/** The decision of each offered survey that samples, also where it leaves the run out. */
type Sample = ReadonlyMap<string, Sampled>;

/** Comes before gating, so that the sample of a survey does not depend on what people have answered before. */
function sampleOf({ pepper }: Project, surveys: Project["activeSurveys"], request: IssueRequest): Sample {
  const { binding, run } = request;
  const sampled = surveys.flatMap(({ id, sampling }): [string, Sampled][] =>
    sampling && binding ? [[id, sampledAs(pepper, id, sampling, { ...binding, facts: run?.facts })]] : [],
  );
  return new Map(sampled);
}

/** Tokens of a survey that is asked in each run share one id per person and run; all others have their own. */
function tokenIdOf(
  { surveysById, pepper }: Project,
  { respondentId, binding }: IssueRequest,
  surveyId: string,
  expiresAt: number,
): string {
  const isOnePerRun = binding && respondentId !== undefined && isEachRun(surveysById.get(surveyId));
  return isOnePerRun
    ? runTokenId(runTokenHash(pepper, respondentId, surveyId, binding))
    : newRecordId(expiresAt);
}

/** Why the one survey of a request is not offered at all. */
function absenceOf(project: Project, surveyId: string | undefined): [string, MintReason][] {
  if (surveyId === undefined) return [];
  const status = project.surveysById.get(surveyId)?.status;
  return status === "active" ? [] : [[surveyId, status ? "survey_inactive" : "survey_unknown"]];
}

interface Decisions {
  offered: readonly string[];
  sampled: Sample;
  /** Why surveys got no token. */
  reasons: ReadonlyMap<string, MintReason>;
  issuedAt: number;
}

/**
 * Counts what became of a run, for each survey offered; or, without a run, that a person was offered a token, once a day. A run
 * counts once, as its first mint decided.
 */
function countIssue(
  { runCounts }: Service,
  { id: projectId, pepper }: Project,
  { binding, respondentId, run, isHead }: IssueRequest,
  { offered, sampled, reasons, issuedAt }: Decisions,
): void {
  if (isHead || (!binding && respondentId === undefined)) return;
  const counted = binding
    ? [binding.sessionId, binding.observationId]
    : [respondentId, dayOf(issuedAt), "person"];
  const hash = keyedHash(pepper, `counted/${JSON.stringify(counted)}`).toString("base64", 0, 16);
  for (const surveyId of offered) {
    const reason = reasons.get(surveyId);
    const one = sampled.get(surveyId);
    if ((!binding && reason) || !runCounts.isNew(hash + surveyId)) continue;
    const about = { projectId, surveyId, version: run?.version, stratum: one?.draw.stratum };
    if (binding) runCounts.count({ ...about, kind: "run" });
    if (!reason) runCounts.count({ ...about, kind: "asked", reason: binding ? undefined : ofPage });
    else if (reason === "not_sampled") runCounts.count({ ...about, kind: "notSampled" });
    else runCounts.count({ ...about, kind: "gated", reason });
  }
}

/** Bootstrap and mint: reads, and writes nothing but counts. */
export async function issueTokens(
  service: Service,
  project: Project,
  request: IssueRequest,
): Promise<MintReply> {
  const issuedAt = service.clock.now();
  const facts = await factsFor(service, project, request);
  const current = await service.directory.current(project, facts.epoch ?? project.epoch);
  // Another node has purged the project: its hashes and tokens are others now.
  if (current.epoch !== project.epoch) return issueTokens(service, current, request);
  const { respondentId, surveyId: only, binding, run } = request;
  const surveys = project.activeSurveys.filter(({ id }) => only === undefined || only === id);
  const offered = surveys.map(({ id }) => id);
  const sampled = sampleOf(project, surveys, request);
  const isLeftOut = (id: string) => sampled.get(id)?.isAsked === false;
  const asked = offered.filter((id) => !isLeftOut(id));
  const isBound = binding !== undefined;
  const decided = eligibility(project, { offered: asked, facts, now: issuedAt, isBound });
  const { unboundInMs, boundInMs } = service.lifetimes;
  const expiresAt = issuedAt + (binding ? boundInMs : unboundInMs);
  const shared = { epoch: project.epoch, issuedAt, expiresAt, respondentId, ...binding };
  const tokenFor = (surveyId: string): string => {
    const draw = sampled.get(surveyId)?.draw;
    const tokenId = tokenIdOf(project, request, surveyId, expiresAt);
    const payload = { ...shared, surveyId, tokenId, ...((run ?? draw) && { run: { ...run, ...draw } }) };
    return sealShowToken(service.masterKeys, project.id, payload);
  };
  const tokens = Object.fromEntries(decided.eligible.map((surveyId) => [surveyId, tokenFor(surveyId)]));
  const leftOut = offered.filter(isLeftOut).map((id): [string, MintReason] => [id, "not_sampled"]);
  const reasons = new Map([...absenceOf(project, only), ...leftOut, ...decided.withheld]);
  const reason = reasons.size > 0 ? Object.fromEntries(reasons) : undefined;
  countIssue(service, project, request, { offered, sampled, reasons, issuedAt });
  const { suppression } = decided;
  return { tokens, suppression, reason, issuedAt: timestamp(issuedAt), reports: ["shown"] };
}
