import { type Endpoint } from "@afterword/protocol";
import { type ServerEvents } from "../operations/events.ts";
import {
  limitFields,
  type Policies,
  type PolicyName,
  type RateLimiter,
  type Verdict,
} from "../limits/rate-limit.ts";
import { Refusal } from "../domain/refusal.ts";
import { type Exchange } from "./exchange.ts";
import { type LoadGuard } from "../limits/load-guard.ts";
import { RateLimited } from "../limits/rate-limited.ts";
import { type Service } from "../domain/service.ts";

/** What stands between a request and its handler, beside the domain. */
export interface Gate {
  service: Service;
  limiter: RateLimiter;
  /** Absent when limits are off. */
  policies: Policies | undefined;
  trustedProxies: number;
  /** Called when a proxy tells whom it stands for and is not believed: all of its clients then share one limit. */
  onUntrustedProxy: () => void;
  events: ServerEvents;
  /** Milliseconds of a clock that only ever goes forward. */
  stopwatch: () => number;
  load: LoadGuard;
}

/** The quotas that one request draws on, and what they said. */
export class Quotas {
  readonly #gate: Gate;
  readonly #exchange: Exchange;
  readonly #verdicts: Verdict[] = [];
  #knownAddress: string | undefined;

  constructor(gate: Gate, exchange: Exchange) {
    this.#gate = gate;
    this.#exchange = exchange;
  }

  /** Worked out only where a limit asks for it. */
  get #address(): string {
    return (this.#knownAddress ??= this.#gate.policies ? this.#workOutAddress() : "");
  }

  #workOutAddress(): string {
    const { trustedProxies, onUntrustedProxy } = this.#gate;
    if (trustedProxies === 0 && this.#exchange.header("x-forwarded-for") !== undefined) onUntrustedProxy();
    return this.#exchange.address(trustedProxies);
  }

  /** @throws RateLimited */
  #take(name: PolicyName, subject: string, isReported: boolean): void {
    const { policies, limiter, service } = this.#gate;
    if (!policies) return;
    const verdict = limiter.take(policies[name], subject, service.clock.now());
    if (isReported || !verdict.isAllowed) this.#verdicts.push(verdict);
    if (!verdict.isAllowed) throw new RateLimited(verdict);
  }

  /** Before anything is read: everyone behind one address together. */
  takeForAddress(): void {
    this.#take("address", this.#address, false);
  }

  /** Once the project is known. The privacy routes have no limit (decision D42). */
  takeForProject(limit: Endpoint["limit"], projectId: string): void {
    if (limit === "none") return;
    if (limit === "public") {
      this.#take("public", `${projectId} ${this.#address}`, true);
      this.#take("project", projectId, true);
    } else this.#take(limit, projectId, true);
  }

  /** Counts failed authentication only; on privacy routes it stays a 401 (decision D41). */
  refuseAuthentication(endpoint: Endpoint, refusal: unknown): unknown {
    if (!Refusal.isInstance(refusal) || refusal.status !== 401) return refusal;
    try {
      this.#take("badAuth", this.#address, false);
    } catch (limited) {
      return endpoint.limit === "none" ? refusal : limited;
    }
    return refusal;
  }

  /** Adds the header fields that tell what is left. */
  addTo(headers: Record<string, string>): void {
    Object.assign(headers, limitFields(this.#verdicts));
  }
}
