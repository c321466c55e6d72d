import { createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { type ProjectRecord } from "../store/project.ts";
import { type MasterKey } from "./master-keys.ts";

/** The keys of one project that outlive a rotation of the master key. */
export interface ProjectSecrets {
  /** Keys the hashes of respondents and e-mail addresses. An account purge replaces it. */
  readonly pepper: KeyObject;
  /** Authenticates cursors of the score queue. */
  readonly cursorKey: KeyObject;
}

const purpose = "project-secrets";

const randomKey = () => createSecretKey(randomBytes(32));

export const randomSecrets = (): ProjectSecrets => ({ pepper: randomKey(), cursorKey: randomKey() });

/** Version and master key id, which are authenticated as they stand, and what is sealed. */
const pattern = /^(ps1\.([0-9a-f]{16}))\.([\w-]+)$/;

type Sealed = Pick<ProjectRecord, "id" | "secrets">;

function partsOf({ id, secrets }: Sealed): { header: string; masterKeyId: string; sealed: string } {
  const [, header, masterKeyId, sealed] = pattern.exec(secrets) ?? [];
  if (!header || !masterKeyId || !sealed) throw new Error(`The secrets of the project ${id} are damaged.`);
  return { header, masterKeyId, sealed };
}

/** The id of the master key that sealed a project's secrets. @throws Error when they are damaged */
export const sealedWith = (project: Sealed) => partsOf(project).masterKeyId;

/** The project's id is authenticated too: its secrets cannot stand in the place of another project's. */
const associatedData = (header: string, projectId: string) => `${header}.${projectId}`;

const textOf = (key: KeyObject) => key.export().toString("base64url");
const keyOf = (text: string) => createSecretKey(text, "base64url");

/** Seals them as JSON under AES-256-GCM. */
export function sealSecrets(
  masterKey: MasterKey,
  projectId: string,
  { pepper, cursorKey }: ProjectSecrets,
): string {
  const header = `ps1.${masterKey.id}`;
  const text = JSON.stringify({ pepper: textOf(pepper), cursorKey: textOf(cursorKey) });
  return `${header}.${masterKey.seal(purpose, associatedData(header, projectId), text)}`;
}

/** @throws Error for anything but what `sealSecrets` returned for this key and project */
export function openSecrets(masterKey: MasterKey, project: Sealed): ProjectSecrets {
  const { header, sealed } = partsOf(project);
  const text = masterKey.unseal(purpose, associatedData(header, project.id), sealed);
  const { pepper, cursorKey } = JSON.parse(text) as { pepper: string; cursorKey: string };
  return { pepper: keyOf(pepper), cursorKey: keyOf(cursorKey) };
}
