import type { BootstrapReply } from "@afterword/protocol";
import type { AskingParts } from "./asking-parts.ts";
import { judge, type OutboxEntry, type Outgoing } from "./outbox-entry.ts";
import type { RateOptions } from "./options.ts";
import { parsed } from "./parsed.ts";
import { retryAfterInMs } from "./retry-after.ts";
import type { Settled, SubmitResult } from "./survey-view.ts";
import { exclusively } from "./tab-lock.ts";

const bootstrap = "/v1/sdk/bootstrap";
const beginning = "outbox:";
const mostEntries = 50;
const oldestInMs = 7 * 24 * 3_600_000;
const mostRetries = 5;
/** Doubled at each retry, so half a minute at most. */
const firstDelayInMs = 2000;

/** How long a rating held when a page was left waits for the same survey on the reloaded page. */
const heldForInMs = 60_000;

// The service suppresses surveys; this covers answers that it has not seen, or knows under another id of the person.
const mostRemembered = 96;

// Fired when the network or the person is back.
const occasions = ["online", "visibilitychange"] as const;

/** Keeps answers and dismissals until the service has them. */
export class Outbox {
  readonly #parts: AskingParts;
  readonly #inFlight = new Set<string>();
  /** Keyed by entry name. */
  readonly #settled = new Map<string, Settled | undefined>();
  /** Consecutive automatic retries. */
  #retries = 0;
  /** Functions that send an entry before its delay is over, keyed by entry name. */
  readonly #waiting = new Map<string, () => void>();
  #timer?: number;
  /** Time of the next automatic drain in milliseconds since 1970. */
  #drainAt = Infinity;
  #isStopped = false;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    for (const event of occasions) parts.page.addEventListener(event, this.#drainAnew);
  }

  /**
   * Stores an entry, then tries to send it. Resolves after the first try and never rejects. An entry that waits for its
   * delay can be taken back by name.
   */
  add(outgoing: Outgoing, options: RateOptions = {}, heldAs?: string): Promise<SubmitResult> {
    const { page } = this.#parts;
    const { delayInMs, settled, sending } = options;
    if (heldAs) this.takeBack(heldAs);
    const [name, entry] = this.#enter({ ...outgoing, heldAs });
    this.#settled.set(name, settled);
    const send = () => {
      sending?.();
      const delivery = this.#send(name, entry);
      // At once, without waiting for the lock: the person may leave the page right now.
      void exclusively(page, name, () => delivery);
      return delivery;
    };
    if (!delayInMs) return send();
    return new Promise((resolve) => {
      // If this page ends without an event, the next one sends it.
      this.#save(name, { ...entry, notBefore: entry.at + delayInMs + heldForInMs });
      const end = () => {
        page.clearTimeout(timer);
        // The entry may also be gone because it was taken back, or deleted when consent was withdrawn.
        if (this.#waiting.delete(name)) resolve(this.#read(name) ? send() : "refused");
      };
      this.#waiting.set(name, end);
      const timer = page.setTimeout(end, delayInMs);
    });
  }

  /** Holds an unsent rating on the device for a minute or until it is taken back. Returns false if it cannot. */
  hold(outgoing: Outgoing, heldAs: string): boolean {
    this.takeBack(heldAs);
    const [name, entry] = this.#enter(outgoing);
    const isKept = this.#save(name, { ...entry, notBefore: entry.at + heldForInMs, heldAs });
    if (!isKept) this.#parts.store.forget(name);
    return isKept;
  }

  /** Takes back a held rating because the person continues with it. */
  takeBack(heldAs: string) {
    for (const name of this.#names()) {
      if (this.#read(name)?.heldAs === heldAs) {
        this.#parts.store.forget(name);
        this.#waiting.get(name)?.();
      }
    }
  }

  /** Remembers that the person was asked, under a name from `askedName`. */
  remember(name: string) {
    const { store } = this.#parts;
    store.names("asked:").slice(0, -mostRemembered).forEach(store.forget);
    store.write(name, "queued");
  }

  /**
   * Sends on `pagehide`, too late for locks: two tabs may send the same answer, which the service stores once. Newest
   * first, because the browser limits what outlives the page.
   */
  leave() {
    for (const name of this.#names().reverse()) {
      this.#waiting.get(name)?.();
      const entry = this.#read(name);
      if (!entry || this.#inFlight.has(name)) continue;
      const mayWait = entry.notBefore > this.#parts.page.Date.now() && this.#save(name, entry);
      if (!mayWait) void this.#deliverAgain(name, entry);
    }
  }

  /** Sends every entry that may be sent now. */
  drain = () => {
    this.#parts.page.clearTimeout(this.#timer);
    this.#drainAt = Infinity;
    for (const name of this.#names()) void this.#sendIfDue(name);
  };

  stop() {
    const { page } = this.#parts;
    this.#isStopped = true;
    for (const send of this.#waiting.values()) send();
    page.clearTimeout(this.#timer);
    for (const event of occasions) page.removeEventListener(event, this.#drainAnew);
  }

  #drainAnew = () => {
    this.#retries = 0;
    this.drain();
  };

  /** Oldest first, because a name begins with its time. */
  #names() {
    return this.#parts.store.names(beginning).sort();
  }

  #read(name: string) {
    return parsed<OutboxEntry>(this.#parts.store.read(name));
  }

  /** Returns whether it outlives the page. */
  #save(name: string, entry: OutboxEntry): boolean {
    return this.#parts.store.write(name, JSON.stringify(entry));
  }

  /** Creates an entry; a full outbox drops its oldest one. */
  #enter(outgoing: Outgoing & Pick<OutboxEntry, "heldAs">): [name: string, entry: OutboxEntry] {
    const { page, store, report, newId, AfterwordError } = this.#parts;
    for (const name of this.#names().slice(0, 1 - mostEntries)) {
      store.forget(name);
      report(new AfterwordError("outbox_full", "50 answers queued; dropped the oldest"));
    }
    const at = page.Date.now();
    return [`${beginning}${at}-${newId(page)}`, { ...outgoing, at, notBefore: 0 }];
  }

  /** Sends one entry if it may be sent now and no tab is sending it. */
  #sendIfDue(name: string) {
    const { page, store, report, AfterwordError } = this.#parts;
    return exclusively(page, name, async () => {
      const entry = this.#read(name);
      const now = page.Date.now();
      if (!entry || this.#inFlight.has(name) || this.#waiting.has(name)) return;
      if (entry.notBefore > now) this.#drainLater(entry.notBefore - now);
      else if (now - entry.at > oldestInMs) {
        store.forget(name);
        report(new AfterwordError("expired", "an answer expired after seven days"));
      } else await this.#deliverAgain(name, entry);
    });
  }

  /** Marks an entry as no longer held, and the person as asked. */
  #send(name: string, { heldAs, ...entry }: OutboxEntry) {
    if (heldAs) this.remember(heldAs);
    return this.#deliver(name, entry);
  }

  async #deliverAgain(name: string, entry: OutboxEntry) {
    const { emit } = this.#parts;
    const result = await this.#send(name, entry);
    if (result === "stored") emit("delivered", { surveyId: entry.body.surveyId });
    this.#settled.get(name)?.(result);
  }

  async #deliver(name: string, entry: OutboxEntry, isFinalToken = entry.isBound): Promise<SubmitResult> {
    const { store, post, useWords } = this.#parts;
    const { path, body } = entry;
    this.#save(name, entry);
    this.#inFlight.add(name);
    const reply = await post(path, body);
    // Renews an expired unbound token for the same person, unless the answer was stored after all.
    const renewal = reply.status === 401 && !isFinalToken && (await post(bootstrap, { userId: body.userId }));
    this.#inFlight.delete(name);
    // If consent was withdrawn meanwhile, deleted entries stay deleted.
    if (!store.read(name)) return "refused";
    const { showTokens, surveys } = ((renewal || reply).body ?? {}) as Partial<BootstrapReply>;
    const showToken = renewal && showTokens?.[body.surveyId];
    if (showToken) return this.#deliver(name, { ...entry, body: { ...body, showToken } }, true);
    const hasRenewalFailed = renewal && !Array.isArray(surveys);
    const [from, last] = hasRenewalFailed ? [bootstrap, renewal] : [path, reply];
    const result = hasRenewalFailed ? "queued" : judge(reply);
    // A page cannot tell a refused origin from a dead network, so report it once, not at each retry.
    const isNews = result === "refused" || (!this.#retries && this.#drainAt === Infinity);
    if (result !== "stored" && isNews) void useWords("tellReply", from, last);
    if (result === "queued") this.#keep(name, entry, retryAfterInMs(last, this.#parts.page));
    else {
      store.forget(name);
      this.#retries = 0;
      // The service has the answer now, and decides when to ask again.
      if (result === "stored" || reply.status === 409)
        store.write(
          this.#parts.askedName({ id: body.userId }, { surveyId: body.surveyId }),
          `${this.#parts.page.Date.now()}`,
        );
    }
    return result;
  }

  /** Schedules a retry. */
  #keep(name: string, entry: OutboxEntry, retryAfterInMs: number) {
    const { Date, Math } = this.#parts.page;
    this.#save(name, { ...entry, notBefore: Date.now() + retryAfterInMs });
    // After five retries in a row, only `online`, a visibility change or a reload retries.
    if (this.#retries < mostRetries) {
      const limitInMs = firstDelayInMs * 2 ** this.#retries;
      this.#drainLater(Math.max(retryAfterInMs, Math.random() * limitInMs));
    }
  }

  /** One timer for all entries, set to the earliest; draining sets it again for later ones. */
  #drainLater(delayInMs: number) {
    const { page } = this.#parts;
    // A longer timeout would overflow after 24 days; no entry waits longer than this.
    delayInMs = Math.min(delayInMs, oldestInMs);
    const at = page.Date.now() + delayInMs;
    if (this.#isStopped || at >= this.#drainAt) return;
    page.clearTimeout(this.#timer);
    this.#drainAt = at;
    this.#timer = page.setTimeout(() => {
      this.#retries++;
      this.drain();
    }, delayInMs);
  }
}
