import { mkdtempSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Afterword, EraseEverywhereReport } from "@afterword/node";
import type { GatingConfig } from "@afterword/reference-server";
import { SimulatedForwarder, SimulatedSink, clientIn } from "./forwarding.ts";
import { Ledger } from "./ledger.ts";
import { Network, type Handled } from "./network.ts";
import { ownTheClock } from "./own-the-clock.ts";
import { checkAsked } from "./page-rules.ts";
import { checkReply, gatingOf, type RuleContext } from "./reply-rules.ts";
import { RuleBroken } from "./rule-broken.ts";
import { Scheduler, SimulatedProcess, inProcess, randomFor } from "./scheduler.ts";
import { serviceHost, SimulatedService } from "./service.ts";
import { checkErasedEverywhere, checkErasure, type EverywhereErased } from "./state-rules.ts";
import { disk, mendDisk } from "./simulated-sqlite.ts";
import { SecretKeys } from "./secret-keys.ts";
import { configOf, secretKey } from "./surveys.ts";
import { Device } from "./virtual-page.ts";
import { Visit, type Person, type VisitParts, type Written } from "./visit.ts";
import { PushRules } from "./push-rules.ts";
import { WaitRules } from "./wait-rules.ts";

/** In memory where there is such a folder: a world writes thousands of times. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A forwarder's own limit is nine seconds; the rest is for the turns of the simulation. */
const stopInMs = 9500;

const gatings: GatingConfig[] = [{}, {}, { quietPeriod: "2h" }, { monthlyCap: 2 }];

/** Everything that one seed decides: who there is, what the network does to them, and what they see. */
export class World implements VisitParts {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly service: SimulatedService;
  readonly sinks: SimulatedSink[];
  readonly keys: SecretKeys;
  readonly ledger = new Ledger();
  readonly context: RuleContext;
  readonly people: Person[];
  readonly written: Written[] = [];
  readonly lines: string[] = [];
  readonly waits: WaitRules;
  readonly pushes = new PushRules();
  forwarders: SimulatedForwarder[] = [];
  visits: Visit[] = [];
  /** Erasures that people have asked for and that are not over. */
  erasing = 0;
  /** Those that are over everywhere. */
  readonly erasedEverywhere: EverywhereErased[] = [];
  broken: RuleBroken | undefined;
  /** People whose devices have given up an answer after a week. */
  readonly expired = new Set<string>();
  /** Whether all actions have happened. */
  hasActed = false;
  /** The numbers of those that have. */
  readonly actions: number[] = [];
  readonly seed: string;
  readonly random: () => number;
  /** Nothing goes wrong in it, so that nothing may be delivered twice. */
  readonly isCalm: boolean;
  /** Whether the queue is emptied by a single run in the end, instead of forwarders that poll. */
  readonly endsInSingleRun: boolean;
  readonly #folder = mkdtempSync(join(base, "afterword-simulation-"));
  #named = 0;

  constructor(seed: string) {
    this.seed = seed;
    const random = (this.random = randomFor(seed, "world"));
    this.isCalm = random() < 0.15;
    this.scheduler = new Scheduler(randomFor(seed, "order"));
    ownTheClock(this.scheduler);
    mendDisk();
    disk.flushed = undefined;
    this.network = new Network(this.scheduler);
    const gating = gatings[Math.floor(random() * gatings.length)]!;
    const config = configOf(gating, !this.isCalm && random() < 0.25);
    this.service = new SimulatedService(this.scheduler, seed, join(this.#folder, "service.db"), config);
    this.sinks = (random() < 0.6 ? ["sink-1.test"] : ["sink-1.test", "sink-2.test"]).map(
      (host) => new SimulatedSink(this.scheduler, this.network, seed, host, random() < 0.7),
    );
    this.endsInSingleRun = random() < 0.3;
    this.keys = new SecretKeys(secretKey, () => this.scheduler.now);
    this.context = { ledger: this.ledger, gating: gatingOf(gating), wasSetBack: false };
    this.waits = new WaitRules(() => this.scheduler.now);
    this.people = Array.from({ length: 6 }, (_, index) => ({
      id: `person-${index}`,
      device: new Device(`device-${index}`),
      hasConsented: random() < 0.75,
      asked: new Set(),
    }));
    this.#watch();
    this.startService();
    for (let count = 0; count < 2; count++) this.startForwarder();
  }

  newWords = (): string => `words-${this.#name()}-end`;
  #name = (): number => ++this.#named;

  /** A process of its own, with random numbers of its own. */
  newProcess(name: string): SimulatedProcess {
    return new SimulatedProcess(`${name} ${this.#name()}`, randomFor(this.seed, name, this.#named));
  }

  note(line: string): void {
    this.lines.push(`${(this.scheduler.now / 1000).toFixed(3)} ${line}`);
  }

  #watch(): void {
    const { network } = this;
    network.onSent = (sent) =>
      this.guard(() => [this.ledger.sent(sent), this.waits.sent(sent), this.pushes.sent(sent)]);
    network.onStarted = (handled) => {
      if (handled.url.host === serviceHost) this.ledger.started(handled);
    };
    network.onArrived = (handled) => {
      this.waits.arrived(handled);
      this.pushes.arrived(handled);
    };
    network.onHandled = (handled) => this.guard(() => this.#handled(handled));
    this.service.onFailed = () => this.startService();
    this.service.onEvent = (event) => {
      if (event.kind === "background-failure")
        this.note(`background task failed: ${event.task} ${String(event.error)}`);
    };
  }

  #handled(handled: Handled): void {
    const { from, method, url, status, text, json } = handled;
    this.note(
      `${from.name}: ${method} ${url.host}${url.pathname}${url.search} ${text} -> ${status} ${JSON.stringify(json)}`,
    );
    if (url.host !== serviceHost) return;
    this.keys.check(handled);
    const open = this.ledger.ended(handled);
    checkReply(this.context, handled, open && "token" in open ? open : undefined);
    if (method === "DELETE" && status === 200)
      checkErasure(
        this,
        url.searchParams.get("respondentId")!,
        String(json?.["note"]).includes("write-ahead log"),
      );
  }

  /** Keeps the first rule that breaks. */
  guard(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof RuleBroken)) throw error;
      this.broken ??= error;
    }
  }

  onPageEvent: VisitParts["onPageEvent"] = (person, name, detail) => {
    const { surveyId, sessionId = "", code, status, message } = detail;
    this.note(
      `page of ${person.id}: ${name} ${JSON.stringify({ surveyId, sessionId, code, status, message })}`,
    );
    this.guard(() => checkAsked(person, name, String(surveyId), sessionId as string));
    if (code === "expired" || code === "outbox_full") this.expired.add(person.id);
    if (name === "error" && code === "unexpected")
      this.guard(() => {
        throw new RuleBroken("no page fails unexpectedly", String(message));
      });
  };

  startService(): void {
    this.service.start();
    const { process } = this.service;
    this.network.hosts.set(serviceHost, {
      process: process!,
      answer: (request) =>
        this.service.answer?.(request) ??
        new Response("starting", { status: 503, headers: { "retry-after": "1" } }),
    });
    this.note("server starts");
  }

  startForwarder(isSingleRun = false): void {
    const { sinks } = this;
    const settings = { sinks, secretKey: this.keys.current, isSingleRun };
    const forwarder = new SimulatedForwarder(this.newProcess("forwarder"), this.network, settings);
    const { process } = forwarder;
    this.forwarders.push(forwarder);
    this.note(`${process.name} starts${isSingleRun ? " for a single run" : ""}`);
    const over = (outcome: string) => {
      this.note(`${process.name} ends: ${outcome}`);
      this.forwarders = this.forwarders.filter((other) => other !== forwarder);
    };
    forwarder.run().then(
      (summary) => over(JSON.stringify(summary) ?? "stopped"),
      (error: unknown) => over(String(error)),
    );
  }

  /** A rolling update: another one of its kind takes its place. */
  replaceForwarder(forwarder: SimulatedForwarder): void {
    this.forwarders = this.forwarders.filter((other) => other !== forwarder);
    this.startForwarder(forwarder.isSingleRun);
    this.stopInTime(forwarder);
  }

  /** Stops a forwarder as a signal does. */
  stopInTime(forwarder: SimulatedForwarder): void {
    const { name } = forwarder.process;
    let isOver = false;
    // Its last requests cannot wait.
    this.waits.exempt.add(name);
    this.note(`${name} is asked to stop`);
    void forwarder.do((one) => one.stop()).then(() => (isOver = true));
    this.scheduler.later(
      stopInMs,
      () =>
        this.guard(() => {
          if (!isOver)
            throw new RuleBroken("a forwarder stops in time", `${name} takes longer than ${stopInMs} ms`);
        }),
      forwarder.process,
    );
  }

  /** An erasure is over: its report names what is gone, and whether it knows of everything. */
  erased(person: string, askedAt: number, { scores, uncertain }: EraseEverywhereReport): void {
    const erasure = {
      person,
      askedAt,
      ids: new Set(scores.map(({ id }) => id)),
      isCertain: uncertain === "",
    };
    this.erasedEverywhere.push(erasure);
    this.note(`${person} is erased everywhere. ${uncertain}`);
    this.guard(() => checkErasedEverywhere(this, erasure));
  }

  acted(number: number, name: string): void {
    this.actions.push(number);
    this.note(`action ${number}: ${name}`);
  }

  openVisit(person: Person): Visit {
    const process = this.newProcess("page");
    const visit = new Visit(this, person, process.name, process.random);
    this.visits = [...this.visits.filter(({ isOver }) => !isOver), visit];
    if (!person.hasConsented) this.waits.exempt.add(process.name);
    this.note(`${process.name} of ${person.id} opens`);
    return visit;
  }

  /** The client of an agent's server or an operator. */
  clientOf(process: SimulatedProcess): Afterword {
    return inProcess.run(process, () => clientIn(process, this.network, this.keys.current));
  }

  /** Runs as many steps; ends early when a rule breaks. */
  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps && !this.broken; step++) {
      if (!(await this.scheduler.step())) return;
      const [error] = this.scheduler.errors;
      if (error !== undefined) this.broken = new RuleBroken("no task throws", errorText(error));
    }
  }

  /** Runs until a moment of the world. */
  async runUntil(isOver: () => boolean, mostInMs: number): Promise<boolean> {
    const end = this.scheduler.now + mostInMs;
    while (!isOver() && this.scheduler.now < end && !this.broken) await this.run(1);
    return isOver();
  }

  dispose(): void {
    for (const { page } of this.visits) page.process.kill();
    for (const { process } of this.forwarders) process.kill();
    this.service.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export const errorText = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
