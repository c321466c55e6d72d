import { type Endpoint } from "@afterword/protocol";
import { type Clock } from "../domain/clock.ts";
import { Refusal } from "../domain/refusal.ts";
import { RateLimited } from "./rate-limited.ts";
import { limitFields, type Policies, type PolicyName, type RateLimiter, type Verdict } from "./rate-limit.ts";

export interface QuotaSettings {
  limiter: RateLimiter;
  /** Absent when limits are off. */
  policies: Policies | undefined;
  service: { readonly clock: Clock };
}

/** The quotas that one request draws on, and what is left of them. */
export class Quotas {
  readonly #settings: QuotaSettings;
  readonly #addressOf: () => string;
  readonly #verdicts: Verdict[] = [];
  #knownAddress: string | undefined;

  /** @param addressOf the client's address; called once, and only when a limit needs it */
  constructor(settings: QuotaSettings, addressOf: () => string) {
    this.#settings = settings;
    this.#addressOf = addressOf;
  }

  get #address(): string {
    return (this.#knownAddress ??= this.#settings.policies ? this.#addressOf() : "");
  }

  /** @throws RateLimited */
  #take(name: PolicyName, subject: string, isReported: boolean): void {
    const { policies, limiter, service } = this.#settings;
    if (!policies) return;
    const verdict = limiter.take(policies[name], subject, service.clock.now());
    if (isReported || !verdict.isAllowed) this.#verdicts.push(verdict);
    if (!verdict.isAllowed) throw new RateLimited(verdict);
  }

  /** Before anything is read: all clients behind one address together. @throws RateLimited */
  takeForAddress(): void {
    this.#take("address", this.#address, false);
  }

  /** Once the project is known. The privacy routes have no limit (decision D42). @throws RateLimited */
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
