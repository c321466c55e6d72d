import type { Handled } from "./network.ts";
import { assertRule } from "./rule-broken.ts";

interface Life {
  createdAt: number;
  /** From when on it may be revoked, and from when on it is for certain. */
  revokedFrom: number;
  revokedAt: number;
}

/** Within which a running server knows of a key that was created or revoked. */
const noticeInMs = 60_000;

/** The secret keys of the project: the one that new processes get, and what holds of each. */
export class SecretKeys {
  current: string;
  readonly #now: () => number;
  readonly #lives = new Map<string, Life>();

  constructor(first: string, now: () => number) {
    this.#now = now;
    this.current = first;
    this.created(first);
  }

  created(key: string): void {
    this.#lives.set(key, { createdAt: this.#now(), revokedFrom: Infinity, revokedAt: Infinity });
  }

  revoking(key: string): void {
    this.#lives.get(key)!.revokedFrom = this.#now();
  }

  revoked(key: string): void {
    this.#lives.get(key)!.revokedAt = this.#now();
  }

  check({ headers, method, url, startedAt, endedAt = 0, status = 0, json }: Handled): void {
    const life = this.#lives.get(headers.get("authorization")?.slice("Bearer ".length) ?? "");
    if (!life) return;
    const detail = () => `${method} ${url.pathname} was answered with ${status}`;
    const isRefused = json?.["code"] === "secret_key_required";
    const isValid = startedAt > life.createdAt + noticeInMs && endedAt < life.revokedFrom;
    assertRule(!isRefused || !isValid, "a valid secret key is accepted", detail);
    const isGone = startedAt > life.revokedAt + noticeInMs;
    assertRule(status >= 400 || !isGone, "a revoked key is refused after a minute", detail);
  }
}
