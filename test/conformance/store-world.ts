import { randomBytes, randomUUID } from "node:crypto";
import { type Store } from "@afterword/server";
import { type OperatedStore } from "@afterword/server/internal";

export type StoredProject = Awaited<ReturnType<Store["readDirectory"]>>[number];
export type ProjectRow = Omit<StoredProject, "keys" | "surveys">;
export type KeyRow = StoredProject["keys"][number];
export type SurveyRow = StoredProject["surveys"][number];
export type NewResponse = Parameters<Store["submit"]>[0];
export type NewDismissal = Parameters<Store["dismiss"]>[0];
export type Acknowledgements = Map<string, { state: "delivered" | "failed"; reason?: string }>;

/** A store under test, and how to open its database a second time as another process would. */
export interface OpenedStore {
  store: OperatedStore;
  reopen: () => Promise<OperatedStore>;
}

/** 2026-11-21T12:00:00Z; every record of a suite is stored a little later than the one before. */
export const noon = Date.UTC(2026, 10, 21, 12);
let tick = 0;

export function projectRow(fields: Partial<ProjectRow> = {}): ProjectRow {
  return {
    id: `project-${randomUUID()}`,
    name: "A project",
    allowedOrigins: ["https://app.example"],
    gating: { monthlyCap: 2 },
    epoch: 1,
    secrets: "00",
    createdAt: noon,
    ...fields,
  };
}

/** A project of its own per test, so that tests share a database and see nothing of each other. */
export async function addProject(store: Store, fields: Partial<ProjectRow> = {}): Promise<string> {
  const project = projectRow(fields);
  await store.changeDirectory(() => ({ projects: [project] }));
  return project.id;
}

export function keyRow(projectId: string, fields: Partial<KeyRow> = {}): KeyRow {
  const id = randomUUID();
  return {
    id,
    projectId,
    kind: "secret",
    digest: randomBytes(32).toString("hex"),
    display: "aw_sk_…wxyz",
    managedBy: "command",
    createdAt: noon,
    ...fields,
  };
}

export function surveyRow(projectId: string, fields: Partial<SurveyRow> = {}): SurveyRow {
  const id = fields.id ?? `survey-${randomUUID()}`;
  return {
    projectId,
    id,
    slug: "after-task",
    version: 1,
    definition: {
      id,
      slug: "after-task",
      type: "csat",
      question: "How was it?",
      presentation: "corner",
      trigger: "auto",
    },
    status: "active",
    managedBy: "command",
    ...fields,
  };
}

/** What suppression of a respondent is kept under. */
export const hashOf = (respondentId: string) => Buffer.from(respondentId.padEnd(16, "#").slice(0, 16));

/** Its life ends in the year 8000 or later, so that nothing forgets it. */
export function token(projectId: string, epoch = 1) {
  return { projectId, epoch, tokenId: Buffer.concat([Buffer.from([0xff]), randomBytes(15)]) };
}

export function dismissal(projectId: string, fields: Partial<NewDismissal> = {}): NewDismissal {
  const respondentId = "respondentId" in fields ? fields.respondentId : "ada";
  return {
    id: randomUUID(),
    at: noon + ++tick,
    token: token(projectId),
    surveyId: "survey-1",
    respondentId,
    respondentHash: respondentId === undefined ? undefined : hashOf(respondentId),
    ...fields,
  };
}

/** Unlinked unless it is given a session. */
export function response(projectId: string, fields: Partial<NewResponse> = {}): NewResponse {
  return { ...dismissal(projectId, fields), surveyVersion: 1, rating: 4, ...fields };
}

/** A linked response: it enters the queue. */
export function linked(projectId: string, fields: Partial<NewResponse> = {}): NewResponse {
  return response(projectId, { sessionId: "session-1", ...fields });
}

/** A page of the queue. */
export async function pageOf(
  store: Store,
  projectId: string,
  { includeFailed = false, after = 0, limit = 100 } = {},
) {
  return (await store.pendingScores({ projectId, after, includeFailed, limit })).scores;
}

/** What an acknowledgement says of these scores. */
export const acks = (
  ids: readonly string[],
  state: "delivered" | "failed",
  reason?: string,
): Acknowledgements => new Map(ids.map((id) => [id, { state, reason }]));

/** All rows of an export. */
export async function exportOf(store: Store, selection: Parameters<Store["openExport"]>[0]) {
  await using snapshot = await store.openExport(selection);
  const rows = [];
  for await (const page of snapshot.pages()) rows.push(...page);
  return { count: snapshot.count, rows };
}

export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
