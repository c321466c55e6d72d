import type { BootstrapReply } from "@afterword/protocol";
import type { AskingParts } from "../parts/index.ts";
import { HeldEntries } from "./held-entries.ts";
import { Entries } from "./entries.ts";
import { createKeepalivePost, type KeepalivePost } from "./keepalive-post.ts";
import { outcomeOf, type OutboxEntry, type Submission } from "./outbox-entry.ts";
import type { RateOptions } from "../options/index.ts";
import { retryAfterInMs } from "../service/index.ts";
import { createReplacedVotes } from "./replaced-votes.ts";
import { RetryTimer } from "./retry-timer.ts";
import type { Settled, SubmitResult } from "../survey/index.ts";
import { withTabLock, longestTimerInMs } from "../page/index.ts";

const bootstrap = "/v1/sdk/bootstrap";
const oldestInMs = 7 * 24 * 3_600_000;
// The service suppresses surveys; this covers answers that it has not seen, or knows under another id of the person.
const mostRemembered = 96;

// Fired when the network or the person is back.
const occasions = ["online", "visibilitychange"] as const;

/** Keeps answers and dismissals until the service has them. */
export class Outbox {
  readonly #parts: AskingParts;
  readonly #post: KeepalivePost;
  readonly #entries: Entries;
  readonly #held: HeldEntries;
  /** The bodies under way, keyed by entry name. */
  readonly #inFlight = new Map<string, object>();
  /** Entries of other pages that this one is about to send. */
  readonly #claimed = new Set<string>();
  /** Keyed by entry name. */
  readonly #settled = new Map<string, Settled | undefined>();
  readonly #retry: RetryTimer;
  readonly #replaced: ReturnType<typeof createReplacedVotes>;
  #isLeaving = false;
  #isStopped = false;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#post = createKeepalivePost(parts);
    this.#entries = new Entries(parts);
    this.#held = new HeldEntries(parts.page);
    this.#retry = new RetryTimer(parts.page, () => this.drain());
    this.#replaced = createReplacedVotes(parts, (run, name) => {
      const own = this.#held.nameOf(run);
      if (own && !this.#entries.read(own)) this.#held.end(run);
      // The other tab may end before it knows what became of it.
      if (parts.page.navigator.locks && this.#replaced.has(run)) void this.#sendIfDue(name);
    });
    for (const event of occasions) parts.page.addEventListener(event, this.#drainAnew);
  }

  /**
   * Stores an entry, then tries to send it. Resolves after the first try and never rejects. An entry that waits for its
   * delay can be taken back by name; a page that is hidden or left sends it at once.
   */
  add(submission: Submission, options: RateOptions = {}, heldAs?: string): Promise<SubmitResult> {
    const { page } = this.#parts;
    const { delayInMs, settled, sending } = options;
    if (heldAs) this.takeBack(heldAs);
    const [name, entry] = this.#entries.create({ ...submission, heldAs });
    this.#settled.set(name, settled);
    const send = () => {
      sending?.();
      return this.#send(name, entry);
    };
    if (!delayInMs || !heldAs || page.document.hidden) {
      const delivery = send();
      // At once, without waiting for the lock: the person may leave the page right now.
      void withTabLock(page, name, () => delivery);
      return delivery;
    }
    this.#save(name, entry);
    return new Promise((resolve) => {
      const end = () => {
        if (this.#held.nameOf(heldAs) !== name) return;
        page.clearTimeout(timer);
        const isHere = this.#entries.read(name);
        // It may have been taken back or replaced, or deleted when consent was withdrawn.
        if (!isHere) this.#replaced.follow(heldAs, options);
        const delivery = isHere ? send() : "refused";
        this.#held.release(heldAs, delivery);
        resolve(delivery);
      };
      const timer = page.setTimeout(end, Math.min(delayInMs, longestTimerInMs));
      this.#held.add(heldAs, name, end);
    });
  }

  /**
   * Keeps on the device what the person has chosen and not sent, until it is taken back or this page has ended, however
   * that happens: the next page sends it at once. Returns false if it cannot be kept.
   */
  hold(submission: Submission, heldAs: string): boolean {
    const own = this.#held.nameOf(heldAs);
    this.#entries.forgetHeld(heldAs, own);
    const [name, entry] = this.#entries.create({ ...submission, heldAs }, own);
    const isKept = this.#entries.save(name, entry);
    if (!isKept) this.takeBack(heldAs);
    else if (!own) {
      this.#held.add(heldAs, name);
      // Now, because the next page asks the service while it sends this.
      this.remember(heldAs);
    }
    return isKept;
  }

  /** Whether this page or another one holds something under this name. */
  isHeld(heldAs: string): boolean {
    return this.#entries.isHeld(heldAs);
  }

  /** Deletes what any page holds under this name, because the person continues with it. */
  takeBack(heldAs: string) {
    this.#entries.forgetHeld(heldAs);
    this.#held.end(heldAs);
    this.#replaced.tell(heldAs);
  }

  /** Deletes what this page holds, and nothing of other pages. Returns whether nothing is held any more because of that. */
  withdraw(heldAs: string): boolean {
    const own = this.#held.nameOf(heldAs);
    if (own) this.#parts.store.forget(own);
    this.#held.end(heldAs);
    return !!own && !this.isHeld(heldAs);
  }

  /** Sends what cannot be held while the page is left. Does not wait: a restored page never gets that reply. */
  sendLast({ path, body }: Submission) {
    void this.#post(path, body, true);
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
    this.#isLeaving = true;
    this.#held.endVotes();
    for (const name of this.#entries.names().reverse()) {
      const entry = this.#entries.read(name);
      // The next page sends what is held.
      if (!entry || entry.heldAs) continue;
      const isKept = this.#entries.save(name, entry);
      const underWay = this.#inFlight.get(name);
      if (!underWay) {
        const mayWait = isKept && entry.notBefore > this.#parts.page.Date.now();
        if (!mayWait) void this.#deliverAgain(name, entry);
      } else if (!isKept && this.#post.endsWithPage(underWay)) this.sendLast(entry);
    }
    this.#isLeaving = false;
    this.#held.unlock();
  }

  /** Sends every entry that may be sent now. */
  drain = () => {
    this.#retry.clear();
    for (const name of this.#entries.names()) void this.#sendIfDue(name);
  };

  stop() {
    const { page } = this.#parts;
    this.#isStopped = true;
    this.#held.endVotes();
    this.#retry.stop();
    for (const event of occasions) page.removeEventListener(event, this.#drainAnew);
    this.#replaced.stop();
  }

  /** Saves an entry, and tells the votes that it has replaced. */
  #save(name: string, entry: OutboxEntry): boolean {
    this.#replaced.tellOf(entry);
    return this.#entries.save(name, entry);
  }

  #drainAnew = () => {
    // A phone may end a hidden page without another event.
    if (this.#parts.page.document.hidden) this.#held.endVotes();
    this.#retry.restart();
    this.drain();
  };

  /** Sends one entry if it may be sent now and no tab is sending or holding it. */
  async #sendIfDue(name: string) {
    const { page, store, report, AfterwordError } = this.#parts;
    const found = this.#entries.read(name);
    // If the person has just consented, this moves it to the device.
    if (found && this.#held.has(name)) this.#entries.save(name, found);
    else if (!this.#claimed.has(name)) {
      this.#claimed.add(name);
      const sendNow = async () => {
        const entry = this.#entries.read(name);
        const now = page.Date.now();
        if (!entry || this.#isStopped || this.#inFlight.has(name)) return;
        // Held by a page that has ended.
        if (entry.heldAs) await this.#deliverAgain(name, entry);
        else if (entry.notBefore > now) this.#retry.drainIn(entry.notBefore - now);
        else if (now - entry.at > oldestInMs) {
          store.forget(name);
          report(new AfterwordError("expired", "an answer expired after seven days"));
        } else await this.#deliverAgain(name, entry);
      };
      await withTabLock(page, name, sendNow, !!found?.heldAs);
      this.#claimed.delete(name);
    }
  }

  /** Marks an entry as no longer held, and the person as asked. Its days in the outbox begin with its first try. */
  #send(name: string, { heldAs, ...entry }: OutboxEntry) {
    if (heldAs) {
      this.remember(heldAs);
      entry.at = this.#parts.page.Date.now();
    }
    return this.#deliver(name, entry);
  }

  async #deliverAgain(name: string, entry: OutboxEntry) {
    const { emit } = this.#parts;
    const result = await this.#send(name, entry);
    if (result === "stored") emit("delivered", { surveyId: entry.body.surveyId });
    this.#settled.get(name)?.(result);
  }

  async #deliver(name: string, entry: OutboxEntry, isFinalToken = entry.isBound): Promise<SubmitResult> {
    const { store, page, post, withDebugFile } = this.#parts;
    const { path, body } = entry;
    const tried = { ...entry, isTried: true };
    const isKept = this.#save(name, tried);
    this.#inFlight.set(name, body);
    const reply = await this.#post(path, body, !isKept && (this.#isLeaving || page.document.hidden));
    // Renews an expired unbound token for the same person, unless the answer was stored after all.
    const renewal = reply.status === 401 && !isFinalToken && (await post(bootstrap, { userId: body.userId }));
    this.#inFlight.delete(name);
    const outcome = outcomeOf(reply, entry.isTried);
    // Deleted entries stay deleted: consent was withdrawn meanwhile, or another tab has delivered it.
    if (!store.read(name)) return outcome === "queued" ? "refused" : outcome;
    const { showTokens, surveys } = ((renewal || reply).body ?? {}) as Partial<BootstrapReply>;
    const showToken = renewal && showTokens?.[body.surveyId];
    if (showToken) return this.#deliver(name, { ...tried, body: { ...body, showToken } }, true);
    const hasRenewalFailed = renewal && !Array.isArray(surveys);
    const [from, last] = hasRenewalFailed ? [bootstrap, renewal] : [path, reply];
    const result = last.isBlocked ? "refused" : hasRenewalFailed ? "queued" : outcome;
    // To a page, a refused origin looks like a dead network, so report it once, not at each retry.
    const isNews = result === "refused" || (result === "queued" && this.#retry.isUnused());
    if (isNews) void withDebugFile(({ reportReply }) => reportReply(this.#parts, from, last));
    if (result === "queued") {
      const waitInMs = retryAfterInMs(last, page);
      this.#save(name, { ...tried, result, notBefore: page.Date.now() + waitInMs });
      this.#retry.retryIn(waitInMs);
    } else {
      this.#save(name, { ...tried, result });
      store.forget(name);
      this.#retry.restart();
      // The service has the answer now, and decides when to ask again.
      if (result === "stored" || reply.status === 409)
        store.write(
          this.#parts.askedName({ id: body.userId }, { surveyId: body.surveyId }),
          `${page.Date.now()}`,
        );
    }
    return result;
  }
}
