import type { BootstrapReply } from "@afterword/protocol";
import { type Context, rememberAsked } from "../context/index.ts";
import { createKeepalivePost, createRetryTimer } from "./delivery.ts";
import { Entries } from "./entries.ts";
import { outcomeOf, type OutboxEntry, type Submission } from "./outbox-entry.ts";
import type { RateOptions, SubmitResult } from "../public/index.ts";
import { longestTimerInMs, type Reply, retryAfterInMs, withTabLock } from "../page/index.ts";

const bootstrap = "/v1/sdk/bootstrap";

// Fired when the network or the person is back, and when the person turns to another tab.
const occasions = ["online", "visibilitychange"] as const;

/** Keeps answers and dismissals until the service has them. Their states are drawn in outbox-entry.ts. */
export class Outbox {
  readonly #context: Context;
  readonly #post: ReturnType<typeof createKeepalivePost>;
  readonly #entries: Entries;
  readonly #retry: ReturnType<typeof createRetryTimer>;
  /** Set by what rates outside a survey. */
  votes?: { tell(entry: OutboxEntry, isElsewhere?: boolean, isWithdrawn?: boolean): void };
  #isLeaving = false;
  #isStopped = false;
  /** The last reply to a renewal. Until `#renewAt`, all answers share a failure; a new token is used only by the answer that asked. */
  #renewal?: Reply;
  #renewAt = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#post = createKeepalivePost(context);
    this.#entries = new Entries(context);
    this.#retry = createRetryTimer(context.page, () => this.drain());
    for (const event of occasions) context.page.addEventListener(event, this.#drainAnew, context.over);
  }

  /**
   * Stores an entry, then tries to send it. Resolves after the first try and never rejects. A rating takes the place of
   * what is held under the same name. One with a delay is held; a page that is hidden or left sends it at once.
   */
  add(submission: Submission, asked: string, options: RateOptions = {}): Promise<SubmitResult> {
    const { page } = this.#context;
    const { delayInMs, settled } = options;
    if (submission.body.rating !== undefined) this.takeBack(asked);
    const [name, entry] = this.#entries.create(submission, asked);
    this.#entries.handlingOf(name, asked).settled = settled;
    const send = () => this.#send(name, entry);
    if (!delayInMs || page.document.hidden) {
      const delivery = send();
      // At once, without waiting for the lock: the person may leave the page right now.
      void withTabLock(page, name, () => delivery);
      return delivery;
    }
    return new Promise((resolve) => {
      const endDelay = () => {
        page.clearTimeout(timer);
        // It may have been taken back or replaced, or deleted when consent was withdrawn.
        const delivery = this.#entries.read(name) ? send() : "refused";
        this.#entries.release(name, delivery);
        resolve(delivery);
      };
      const timer = page.setTimeout(endDelay, Math.min(delayInMs, longestTimerInMs));
      this.#entries.hold(name, asked, endDelay);
      // Holds it first: a tab that sees an entry which none holds sends it, as if its page had ended.
      this.#save(name, entry);
    });
  }

  /**
   * Keeps on the device what the person has chosen and not sent, until it is taken back or this page has ended, however
   * that happens: the next page sends it at once. Returns false if it cannot be kept.
   */
  hold(submission: Submission, asked: string): boolean {
    const own = this.#entries.ownHeld(asked);
    for (const name of this.#entries.heldAs(asked)) if (name !== own) this.#entries.delete(name);
    const [name, entry] = this.#entries.create(submission, asked, own);
    const isKept = this.#entries.save(name, entry);
    if (!isKept) this.takeBack(asked);
    else if (!own) {
      this.#entries.hold(name, asked);
      // Now, because the next page asks the service while it sends this.
      rememberAsked(this.#context, asked);
    }
    return isKept;
  }

  /** Whether this page or another one holds something under this name. */
  isHeld(asked: string): boolean {
    return !!this.#entries.heldAs(asked)[0];
  }

  /** Deletes what any page holds under this name, because the person continues with it. */
  takeBack(asked: string) {
    const own = this.#entries.ownHeld(asked);
    for (const name of this.#entries.heldAs(asked)) {
      const entry = this.#entries.read(name)!;
      this.#entries.delete(name);
      this.votes?.tell(entry, false, true);
    }
    if (own) this.#entries.delete(own);
  }

  /** Deletes what this page holds, and nothing of other pages. Returns whether nothing is held any more because of that. */
  withdraw(asked: string): boolean {
    const own = this.#entries.ownHeld(asked);
    if (own) this.#entries.delete(own);
    return !!own && !this.isHeld(asked);
  }

  /** Sends what cannot be held while the page is left. Does not wait: a restored page never gets that reply. */
  sendLast({ path, body }: Submission) {
    this.#post(path, body, true);
  }

  /**
   * Sends on `pagehide`, too late for locks: two tabs may send the same answer, which the service stores once. Newest
   * first, because the browser limits what outlives the page.
   */
  leave() {
    this.#isLeaving = true;
    this.#entries.endDelays();
    for (const name of this.#entries.names().reverse()) {
      const entry = this.#entries.read(name);
      // The next page sends what is held.
      if (!entry || entry.state === "held") continue;
      const isKept = this.#entries.save(name, entry);
      const { isSending, endsWithPage } = this.#entries.handlingOf(name, entry.asked);
      const mayWait = isKept && entry.notBefore > this.#context.page.Date.now();
      if (!isSending && !mayWait) void this.#sendAgain(name, entry);
      else if (endsWithPage && !isKept) this.sendLast(entry);
    }
    this.#isLeaving = false;
    this.#entries.unlock();
  }

  /** Sends every entry that may be sent now. */
  drain = () => {
    this.#retry.clear();
    for (const name of this.#entries.names()) void this.#sendIfDue(name);
  };

  stop() {
    this.#isStopped = true;
    this.#entries.endDelays();
    this.#retry.clear();
  }

  entries = () => this.#entries.names().flatMap((name) => this.#entries.read(name) ?? []);

  /** Call when another tab has changed an entry, which may end before it knows what became of it. */
  changeElsewhere(asked: string, name: string, isShown: boolean) {
    const own = this.#entries.ownHeld(asked);
    if (own && !this.#entries.read(own)) this.#entries.delete(own);
    if (this.#context.page.navigator.locks && isShown) void this.#sendIfDue(name);
  }

  /** Saves an entry in a new state, of which its vote hears. Returns whether it outlives the page. */
  #save(name: string, entry: OutboxEntry): boolean {
    this.votes?.tell(entry);
    return this.#entries.save(name, entry);
  }

  #drainAnew = () => {
    // A phone may end a hidden page without another event.
    if (this.#context.page.document.hidden) this.#entries.endDelays();
    this.#retry.restart();
    this.drain();
  };

  /** Sends one entry if it may be sent now and no tab is sending or holding it. */
  async #sendIfDue(name: string) {
    const { page } = this.#context;
    const entry = this.#entries.read(name);
    if (!entry) return;
    const handling = this.#entries.handlingOf(name, entry.asked);
    // If the person has just consented, this moves it to the device.
    if (handling.release) this.#entries.save(name, entry);
    else if (!handling.isClaimed) {
      handling.isClaimed = true;
      await withTabLock(page, name, () => this.#sendNow(name), entry.state === "held");
      handling.isClaimed = false;
    }
  }

  /** Sends an entry whose lock this page has: a page that held it has ended. */
  async #sendNow(name: string) {
    const { page, report, errorOf } = this.#context;
    const entry = this.#entries.read(name);
    if (!entry || this.#isStopped || this.#entries.handlingOf(name, entry.asked).isSending) return;
    const waitInMs = entry.notBefore - page.Date.now();
    if (waitInMs > 0) this.#retry.drainIn(waitInMs);
    else if (entry.state !== "held" && page.Date.now() - entry.at > 7 * 24 * 3_600_000) {
      this.#entries.delete(name);
      report(errorOf("an answer expired after seven days", "expired"));
    } else await this.#sendAgain(name, entry);
  }

  async #sendAgain(name: string, entry: OutboxEntry) {
    const { settled } = this.#entries.handlingOf(name, entry.asked);
    const result = await this.#send(name, entry);
    if (result === "stored") this.#context.emit("delivered", { surveyId: entry.body.surveyId });
    settled?.(result);
  }

  /** Sends an entry, and moves it to the state that the reply means. Its days in the outbox begin with its first try. */
  async #send(name: string, given: OutboxEntry, isFinalToken = given.isBound): Promise<SubmitResult> {
    const { store, page, askedName, withDebugFile } = this.#context;
    const { path, body } = given;
    const isNew = given.state === "held";
    const at = isNew ? page.Date.now() : given.at;
    const entry: OutboxEntry = { ...given, state: "sending", at, isTried: true };
    const isKept = this.#save(name, entry);
    if (isNew) rememberAsked(this.#context, entry.asked);
    const [reply, renewal] = await this.#request(name, entry, isKept, isFinalToken);
    const { showTokens, surveys } = (renewal?.body ?? {}) as Partial<BootstrapReply>;
    const outcome = outcomeOf(reply, given.isTried);
    // Deleted entries stay deleted: consent was withdrawn meanwhile, or another tab has delivered it.
    if (!store.read(name)) return outcome === "queued" ? "refused" : outcome;
    const showToken = showTokens?.[body.surveyId];
    if (showToken) return this.#send(name, { ...entry, body: { ...body, showToken } }, true);
    const hasRenewalFailed = renewal && !Array.isArray(surveys);
    const [from, last] = hasRenewalFailed ? [bootstrap, renewal] : [path, reply];
    const result = last.isBlocked ? "refused" : hasRenewalFailed ? "queued" : outcome;
    // To a page, a refused origin looks like a dead network, so report it once, not at each retry.
    if (result === "refused" || (result === "queued" && this.#retry.isUnused()))
      void withDebugFile(({ reportReply }) => reportReply(this.#context, from, last));
    const waitInMs = hasRenewalFailed ? this.#renewAt - page.Date.now() : retryAfterInMs(reply, page);
    this.#save(name, { ...entry, state: result, notBefore: page.Date.now() + waitInMs });
    if (result === "queued") {
      if (!this.#isStopped) this.#retry.retryIn(waitInMs);
      return result;
    }
    this.#entries.delete(name);
    this.#retry.restart();
    // The service has the answer now, and decides when to ask again.
    if (result === "stored" || reply.status === 409)
      store.write(askedName({ id: body.userId }, { surveyId: body.surveyId }), `${page.Date.now()}`);
    return result;
  }

  /** Posts an entry. If its unbound token has expired, also asks for another one of the same person. */
  async #request(name: string, entry: OutboxEntry, isKept: boolean, isFinalToken: boolean) {
    const { page, post } = this.#context;
    const { asked, path, body } = entry;
    const handling = this.#entries.handlingOf(name, asked);
    handling.isSending = true;
    const mustLast = !isKept && (this.#isLeaving || page.document.hidden);
    const [outlivesPage, replying] = this.#post(path, body, mustLast);
    handling.endsWithPage = !outlivesPage;
    const reply = await replying;
    handling.endsWithPage = false;
    const mayRenew = reply.status === 401 && !isFinalToken;
    if (mayRenew && page.Date.now() >= this.#renewAt) {
      this.#renewal = await post(bootstrap, { userId: body.userId });
      const isRenewed = Array.isArray(this.#renewal.body?.["surveys"]);
      this.#renewAt = isRenewed ? 0 : page.Date.now() + retryAfterInMs(this.#renewal, page);
    }
    handling.isSending = false;
    return [reply, mayRenew ? this.#renewal : undefined] as const;
  }
}
