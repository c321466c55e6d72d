import { existsSync, readFileSync } from "node:fs";
import { createApp } from "../../reference-server/src/app.ts";
import { startBackground } from "../../reference-server/src/background.ts";
import { createKey, revokeKey } from "../../packages/server/src/administration/manage-keys.ts";
import { rotateMasterKey } from "../../packages/server/src/administration/rotate-master-key.ts";
import { digestOfKey } from "../../reference-server/src/domain/api-key.ts";
import { MasterKey, MasterKeys } from "../../reference-server/src/domain/master-keys.ts";
import { ProjectDirectory } from "../../reference-server/src/domain/project-directory.ts";
import type { Service } from "../../reference-server/src/domain/service.ts";
import { openStore } from "../../reference-server/src/store/open-store.ts";
import type { ServerConfig } from "../../reference-server/src/config/server-config.ts";
import type { ServerEvent } from "../../reference-server/src/events.ts";
import { SimulatedProcess, inProcess, randomFor, type Scheduler } from "./scheduler.ts";
import SimulatedDatabase, { disk } from "./simulated-sqlite.ts";
import { readImage, writeImage } from "../faults/disk-image.ts";

export const serviceHost = "service.test";

/** The server in a process that can be killed, and what outlives it: its database and its key file. */
export class SimulatedService {
  readonly path: string;
  /** The server that runs, if one does. */
  process: SimulatedProcess | undefined;
  answer: ((request: Request) => Promise<Response> | Response) | undefined;
  /** Failures that no request caused. */
  onFailed: () => void = () => undefined;
  onEvent: (event: ServerEvent) => void = () => undefined;
  readonly #scheduler: Scheduler;
  readonly #seed: string;
  #config: ServerConfig;
  /** The newest first. */
  #keyFile: MasterKey[];
  #starts = 0;
  /** Commands that run. */
  readonly #operators = new Set<SimulatedProcess>();
  /** Keeps the log from being moved into the database when a killed process loses its last connection. */
  #anchor: SimulatedDatabase;
  clockOffsetInMs = 0;

  constructor(scheduler: Scheduler, seed: string, path: string, config: ServerConfig) {
    this.#scheduler = scheduler;
    this.#seed = seed;
    this.path = path;
    this.#config = config;
    this.#keyFile = [new MasterKey(Buffer.alloc(32, 7))];
    this.#anchor = this.#openAnchor();
  }

  #openAnchor(): SimulatedDatabase {
    const anchor = new SimulatedDatabase(this.path);
    anchor.pragma("journal_mode = WAL");
    anchor.prepare("SELECT count(*) FROM sqlite_master").get();
    return anchor;
  }

  get isUp(): boolean {
    return this.answer !== undefined;
  }

  #newProcess(name: string): SimulatedProcess {
    const number = ++this.#starts;
    const started = new SimulatedProcess(`${name} ${number}`, randomFor(this.#seed, name, number));
    started.clockOffsetInMs = this.clockOffsetInMs;
    return started;
  }

  start(): void {
    const started = this.#newProcess("server");
    this.process = started;
    started.atEnd(() => (this.answer = undefined));
    const open = () => this.#open(started).catch((error: unknown) => this.#failed(started, error));
    inProcess.run(started, () => this.#scheduler.later(0, open));
  }

  /** A supervisor starts it again. */
  #failed(started: SimulatedProcess, error: unknown): void {
    if (started.isDead) return;
    this.onEvent({ kind: "warning", message: String(error) });
    this.kill();
    inProcess.exit(() => this.#scheduler.later(1000, () => this.process ?? this.onFailed()));
  }

  async #open(started: SimulatedProcess): Promise<void> {
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const events = { emit: (event: ServerEvent) => this.onEvent(event) };
    const store = await openStore(this.path);
    const masterKeys = await MasterKeys.open(store, async () => this.#keyFile, clock);
    const options = { store, masterKeys, clock, config: this.#config, events };
    const { app, service } = await createApp(options);
    startBackground(service, events);
    if (!started.isDead) this.answer = (request) => app.fetch(request);
  }

  kill(): void {
    this.process?.kill();
    this.process = undefined;
  }

  /** Of its machine: whatever runs there is killed, and the disk has what was flushed, or what is left of a write. */
  losePower(left = disk.flushed ?? readImage(this.path)): void {
    this.kill();
    for (const operator of this.#operators) operator.kill();
    this.#anchor.close();
    writeImage(this.path, left);
    disk.flushed = undefined;
    this.#anchor = this.#openAnchor();
  }

  /** A jump of its machine's clock. */
  moveClock(byInMs: number): void {
    this.clockOffsetInMs += byInMs;
    if (this.process) this.process.clockOffsetInMs = this.clockOffsetInMs;
  }

  /** Runs a command of the server, in a process of its own. */
  async #operate<T>(name: string, work: (service: Service) => Promise<T>): Promise<T> {
    const operator = this.#newProcess(name);
    this.#operators.add(operator);
    operator.atEnd(() => this.#operators.delete(operator));
    const clock = { now: () => Date.now() };
    try {
      return await inProcess.run(operator, async () => {
        const store = await openStore(this.path, "none");
        const masterKeys = await MasterKeys.open(store, async () => this.#keyFile, clock);
        const directory = new ProjectDirectory(store, masterKeys);
        await directory.refresh();
        const result = await work({ clock, directory, masterKeys } as Service);
        await store.close();
        return result;
      });
    } finally {
      operator.kill();
    }
  }

  /** The command `key rotate-master`. */
  rotateMasterKey(): Promise<unknown> {
    const overlapInMs = 30 * 86_400_000;
    return this.#operate("rotation", (service) => {
      const next = MasterKey.random();
      this.#keyFile = [next, ...this.#keyFile];
      return rotateMasterKey(service, overlapInMs, () => next, false);
    });
  }

  /** The command `key create`. Returns the key. */
  async createSecretKey(): Promise<string> {
    const settings = { kind: "secret", scopes: undefined, expiresAt: undefined } as const;
    const { id } = this.#config.projects[0]!;
    const { key } = await this.#operate("key creation", (service) => createKey(service, id, settings));
    return key;
  }

  /** The command `key revoke`, after the key is gone from the config file, from which it would come back. */
  async revokeSecretKey(key: string): Promise<void> {
    const projects = this.#config.projects.map(({ secretKey, ...project }) =>
      secretKey === key ? project : { ...project, secretKey },
    );
    this.#config = { ...this.#config, projects };
    await this.#operate("key revocation", (service) => {
      const keys = service.directory.projects.flatMap((project) => project.keys);
      return revokeKey(service, keys.find(({ digest }) => digest === digestOfKey(key))!.id);
    });
  }

  /** Every byte of its data on the disk, as text. */
  bytesOnDisk(): string {
    const files = [this.path, `${this.path}-wal`].filter((file) => existsSync(file));
    return files.map((file) => readFileSync(file, "latin1")).join("");
  }

  rows<Row>(sql: string): Row[] {
    return this.#anchor.prepare<[], Row>(sql).all();
  }

  dispose(): void {
    this.kill();
    this.#anchor.close();
  }
}
