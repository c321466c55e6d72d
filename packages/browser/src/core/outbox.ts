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

/** How long the rating of a page that was left waits for the same survey in a reloaded page. */
const heldForInMs = 60_000;

// The service suppresses; this is for what it does not know yet, or knows of another id of the person.
const mostRemembered = 96;

// The network is back, or the person.
const occasions = ["online", "visibilitychange"] as const;

/** Keeps what a person said until the service has it. */
export class Outbox {
  readonly #parts: AskingParts;
  readonly #inFlight = new Set<string>();
  /** By the name of the entry. */
  readonly #settled = new Map<string, Settled | undefined>();
  /** How often in a row it has tried again by itself. */
  #retries = 0;
  /** Sends an entry before its delay is over, by its name. */
  readonly #waiting = new Map<string, () => void>();
  #timer?: number;
  /** When it drains next by itself, in milliseconds since 1970. */
  #drainAt = Infinity;
  #isStopped = false;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    for (const event of occasions) parts.page.addEventListener(event, this.#drainAnew);
  }

  /**
   * Keeps it, then tries to send it; resolves after the first try and never rejects. What waits for its delay can be
   * taken back by its name.
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
      // At once, not when the lock is there: the person may leave the page in this very moment.
      void exclusively(page, name, () => delivery);
      return delivery;
    };
    if (!delayInMs) return send();
    return new Promise((resolve) => {
      // If this page ends unheard, the next one sends it.
      this.#save(name, { ...entry, notBefore: entry.at + delayInMs + heldForInMs });
      const end = () => {
        page.clearTimeout(timer);
        // Gone are also those that were taken back, or deleted together with the consent.
        if (this.#waiting.delete(name)) resolve(this.#read(name) ? send() : "refused");
      };
      this.#waiting.set(name, end);
      const timer = page.setTimeout(end, delayInMs);
    });
  }

  /** Keeps a rating that was not sent, on the device, for a minute or until it is taken back. False where it cannot. */
  hold(outgoing: Outgoing, heldAs: string): boolean {
    this.takeBack(heldAs);
    const [name, entry] = this.#enter(outgoing);
    const isKept = this.#save(name, { ...entry, notBefore: entry.at + heldForInMs, heldAs });
    if (!isKept) this.#parts.store.forget(name);
    return isKept;
  }

  /** The person goes on with what was held. */
  takeBack(heldAs: string) {
    for (const name of this.#names()) {
      if (this.#read(name)?.heldAs === heldAs) {
        this.#parts.store.forget(name);
        this.#waiting.get(name)?.();
      }
    }
  }

  /** Remembers by `askedName` that the person was asked. */
  remember(name: string) {
    const { store } = this.#parts;
    store.names("asked:").slice(0, -mostRemembered).forEach(store.forget);
    store.write(name, "queued");
  }

  /**
   * The page goes away, and with it the time for locks: two tabs may send the same answer, which the service stores
   * once. Newest first, for the browser keeps only so much alive.
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

  /** Sends everything that may be sent now. */
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

  /** Oldest first: a name begins with its time. */
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

  /** A new entry, for which the oldest makes room. */
  #enter(outgoing: Outgoing & Pick<OutboxEntry, "heldAs">): [name: string, entry: OutboxEntry] {
    const { page, store, report, newId, AfterwordError } = this.#parts;
    for (const name of this.#names().slice(0, 1 - mostEntries)) {
      store.forget(name);
      report(new AfterwordError("outbox_full", "50 answers queued; dropped the oldest"));
    }
    const at = page.Date.now();
    return [`${beginning}${at}-${newId(page)}`, { ...outgoing, at, notBefore: 0 }];
  }

  /** Sends one entry if it may be sent now, and neither this tab nor another one is doing so. */
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

  /** Whatever is sent is not held any more, and the person counts as asked. */
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
    // An unbound token that has expired: the same person may get another one, unless the answer was stored after all.
    const renewal = reply.status === 401 && !isFinalToken && (await post(bootstrap, { userId: body.userId }));
    this.#inFlight.delete(name);
    // Consent was withdrawn meanwhile: what was deleted stays deleted.
    if (!store.read(name)) return "refused";
    const { showTokens, surveys } = ((renewal || reply).body ?? {}) as Partial<BootstrapReply>;
    const showToken = renewal && showTokens?.[body.surveyId];
    if (showToken) return this.#deliver(name, { ...entry, body: { ...body, showToken } }, true);
    const hasRenewalFailed = renewal && !Array.isArray(surveys);
    const [from, last] = hasRenewalFailed ? [bootstrap, renewal] : [path, reply];
    const result = hasRenewalFailed ? "queued" : judge(reply);
    // A page cannot tell a refused origin from a dead network: it says so once, not at each retry.
    const isNews = result === "refused" || (!this.#retries && this.#drainAt === Infinity);
    if (result !== "stored" && isNews) void useWords("tellReply", from, last);
    if (result === "queued") this.#keep(name, entry, retryAfterInMs(last, this.#parts.page));
    else {
      store.forget(name);
      this.#retries = 0;
      // From now on the service knows better when to ask again.
      if (result === "stored" || reply.status === 409)
        store.write(
          this.#parts.askedName({ id: body.userId }, { surveyId: body.surveyId }),
          `${this.#parts.page.Date.now()}`,
        );
    }
    return result;
  }

  /** Tries again later. */
  #keep(name: string, entry: OutboxEntry, retryAfterInMs: number) {
    const { Date, Math } = this.#parts.page;
    this.#save(name, { ...entry, notBefore: Date.now() + retryAfterInMs });
    // After five retries in a row only the network's return, a change of visibility or a reload tries again.
    if (this.#retries < mostRetries) {
      const limitInMs = firstDelayInMs * 2 ** this.#retries;
      this.#drainLater(Math.max(retryAfterInMs, Math.random() * limitInMs));
    }
  }

  /** One timer for all entries, set to what comes first; draining sets it anew for those that must wait longer. */
  #drainLater(delayInMs: number) {
    const { page } = this.#parts;
    // Timers take no more than 24 days, and nothing waits for longer than this.
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
