import { createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import { type ProjectRecord } from "../store/project.ts";
import { type MasterKey } from "./master-keys.ts";
import { seal, unseal } from "./seal.ts";

/** The keys of one project that outlive a rotation of the master key. */
export interface ProjectSecrets {
  /** Keys the hashes of respondents and e-mail addresses. An account purge replaces it. */
  readonly pepper: KeyObject;
  /** Authenticates cursors of the score queue (decision D84). */
  readonly cursorKey: KeyObject;
}

const randomKey = () => createSecretKey(randomBytes(32));

export const randomSecrets = (): ProjectSecrets => ({ pepper: randomKey(), cursorKey: randomKey() });

/** Version and master key id, which are authenticated as they stand, and what is sealed. */
const pattern = /^(ps1\.([0-9a-f]{16}))\.([\w-]+)$/;

/** The id of the master key that sealed a project's secrets; `undefined` for a salt of an earlier version. */
export const sealedWith = ({ secrets }: Pick<ProjectRecord, "secrets">) => pattern.exec(secrets)?.[2];

/** The project's id is authenticated too: its secrets cannot stand in the place of another project's. */
const associatedData = (header: string, projectId: string) => `${header}.${projectId}`;

const textOf = (key: KeyObject) => key.export().toString("base64url");
const keyOf = (text: string) => createSecretKey(text, "base64url");

/** Seals them as JSON under AES-256-GCM (decision O122). */
export function sealSecrets(
  masterKey: MasterKey,
  projectId: string,
  { pepper, cursorKey }: ProjectSecrets,
): string {
  const header = `ps1.${masterKey.id}`;
  const text = JSON.stringify({ pepper: textOf(pepper), cursorKey: textOf(cursorKey) });
  const [sealed] = seal(masterKey.sealingKey(), associatedData(header, projectId), [text]);
  return `${header}.${sealed}`;
}

/** @throws Error for anything but what `sealSecrets` returned for this key and project, or a salt */
export function openSecrets(
  masterKey: MasterKey,
  { id, secrets }: Pick<ProjectRecord, "id" | "secrets">,
): ProjectSecrets {
  const [, header, , sealed] = pattern.exec(secrets) ?? [];
  if (!header || !sealed) {
    if (!/^[0-9a-f]*$/.test(secrets)) throw new Error(`The secrets of the project ${id} are damaged.`);
    return masterKey.derivedSecrets(id, secrets);
  }
  const text = unseal(masterKey.sealingKey(), associatedData(header, id), sealed);
  const { pepper, cursorKey } = JSON.parse(text) as { pepper: string; cursorKey: string };
  return { pepper: keyOf(pepper), cursorKey: keyOf(cursorKey) };
}
