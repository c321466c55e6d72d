import { digestOfKey, type KeyKind, keyPrefixes } from "./api-key.ts";
import type { KeyRecord, Store, StoredProject, SurveyRecord } from "../store/store.ts";
import { type MasterKeys, type ProjectSecrets, sealedWith } from "./master-keys.ts";

/** A project as requests see it, with look-ups prepared. */
export interface Project extends StoredProject, ProjectSecrets {
  /** Deleted surveys included: what people answered in them still counts. */
  readonly everySurveyById: ReadonlyMap<string, SurveyRecord>;
  /** Surveys that are not deleted, by id. */
  readonly surveysById: ReadonlyMap<string, SurveyRecord>;
  readonly activeSurveys: readonly SurveyRecord[];
  /** The definitions of the active surveys as JSON: each bootstrap sends them, and they hardly ever change. */
  readonly activeSurveysJson: string;
}

/** Says whether a key is valid at a moment: neither revoked nor expired (decision D26). */
export function isUsableKey({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

export interface FoundKey {
  project: Project;
  key: KeyRecord;
}

function prepare(stored: StoredProject, { pepper, cursorKey }: ProjectSecrets): Project {
  const living = stored.surveys.filter((survey) => survey.deletedAt === undefined);
  const activeSurveys = living.filter((survey) => survey.status === "active");
  return {
    ...stored,
    pepper,
    cursorKey,
    everySurveyById: new Map(stored.surveys.map((survey) => [survey.id, survey])),
    surveysById: new Map(living.map((survey) => [survey.id, survey])),
    activeSurveys,
    activeSurveysJson: JSON.stringify(activeSurveys.map((survey) => survey.definition)),
  };
}

/** All projects, keys and surveys in memory; `refresh` picks up what other processes changed. */
export class ProjectDirectory {
  readonly #store: Store;
  readonly #masterKeys: MasterKeys;
  #version = -1;
  #projects = new Map<string, Project>();
  /** By digest, so that the time of a look-up says nothing about a key. */
  readonly #keys = new Map<string, FoundKey>();

  constructor(store: Store, masterKeys: MasterKeys) {
    this.#store = store;
    this.#masterKeys = masterKeys;
  }

  get projects(): Project[] {
    return [...this.#projects.values()];
  }

  project(id: string): Project | undefined {
    return this.#projects.get(id);
  }

  /** Reads everything again if anything has changed. Returns whether it has. */
  async refresh(): Promise<boolean> {
    const version = await this.#store.directoryVersion();
    if (version === this.#version) return false;
    const stored = await this.#store.readDirectory();
    // Afterwards, so that the keys that sealed the projects' secrets are among them.
    await this.#masterKeys.follow(await this.#store.masterKeys());
    // A refresh that started after this one may already have finished with newer data.
    if (version < this.#version) return false;
    this.#projects = new Map(
      stored.map((project) => [project.id, prepare(project, this.#secretsOf(project))]),
    );
    this.#keys.clear();
    for (const project of this.#projects.values())
      for (const key of project.keys)
        // A revoked key may have been given again: it must not stand in the way of its successor.
        if (key.revokedAt === undefined) this.#keys.set(key.digest, { project, key });
    // Looks again, and for the key too, at the next refresh.
    if (this.#masterKeys.problem) throw this.#masterKeys.problem;
    this.#version = version;
    const [current] = this.#masterKeys.records;
    if (stored.some((project) => sealedWith(project) !== current?.id))
      await this.#masterKeys.sealAll(this.#store);
    return true;
  }

  /** A rotation of the master key changes no secret, and without the new key a process still has those that it knows. */
  #secretsOf(project: StoredProject): ProjectSecrets {
    const known = this.#projects.get(project.id);
    return known?.epoch === project.epoch ? known : this.#masterKeys.secretsOf(project);
  }

  /**
   * The project as it is in the database now: another node may have purged it since the last refresh. An `epoch` that
   * is the known one shows that nothing of the kind happened, and spares the look.
   */
  async current(known: Project, epoch?: number): Promise<Project> {
    if (epoch === known.epoch) return known;
    await this.refresh();
    return this.#projects.get(known.id) ?? known;
  }

  /** The project and row of a key that is valid now. */
  findKey(kind: KeyKind, key: string, now: number): FoundKey | undefined {
    const found = this.#find(kind, key);
    return found && isUsableKey(found.key, now) ? found : undefined;
  }

  /** The secret key that a public route received, without counting as its use; nothing for any other text. */
  exposedKey(key: string): KeyRecord | undefined {
    return this.#find("secret", key)?.key;
  }

  #find(kind: KeyKind, key: string): FoundKey | undefined {
    return key.startsWith(keyPrefixes[kind]) ? this.#keys.get(digestOfKey(key)) : undefined;
  }
}
