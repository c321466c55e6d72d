import { describe } from "vitest";
import { accessSuite } from "./api/access.suite.ts";
import { type OpenWorld } from "./api/api-world.ts";
import { askingAgainSuite } from "./api/asking-again.suite.ts";
import { dismissalSuite } from "./api/dismissal.suite.ts";
import { extensionsSuite } from "./api/extensions.suite.ts";
import { fuzzSuite } from "./api/fuzz.suite.ts";
import { gatingSuite } from "./api/gating.suite.ts";
import { hostileSuite } from "./api/hostile.suite.ts";
import { httpSuite } from "./api/http.suite.ts";
import { isolationSuite } from "./api/isolation.suite.ts";
import { limitsSuite } from "./api/limits.suite.ts";
import { orderSuite } from "./api/order.suite.ts";
import { privacySuite } from "./api/privacy.suite.ts";
import { queueSuite } from "./api/queue.suite.ts";
import { raceSuite } from "./api/race.suite.ts";
import { restartSuite } from "./api/restart.suite.ts";
import { sessionSuite } from "./api/session.suite.ts";
import { submitSuite } from "./api/submit.suite.ts";
import { tokenSuite } from "./api/token.suite.ts";

const parts = {
  access: accessSuite,
  token: tokenSuite,
  submit: submitSuite,
  session: sessionSuite,
  dismissal: dismissalSuite,
  gating: gatingSuite,
  askingAgain: askingAgainSuite,
  extensions: extensionsSuite,
  queue: queueSuite,
  privacy: privacySuite,
  http: httpSuite,
  order: orderSuite,
  limits: limitsSuite,
  restart: restartSuite,
  isolation: isolationSuite,
  race: raceSuite,
  hostile: hostileSuite,
  fuzz: fuzzSuite,
};

export type ApiPart = keyof typeof parts;

/** What is decided before a store is asked, and so is the same on every engine. */
export const requestParts: ApiPart[] = [
  "access",
  "extensions",
  "http",
  "order",
  "limits",
  "isolation",
  "hostile",
  "fuzz",
];

/**
 * Everything that can be seen of the service from outside, for any engine and any arrangement of nodes. Some parts are
 * not about the service where something stands before it, or have nothing to do with the engine.
 */
export function apiSuite(name: string, open: OpenWorld, { without = [] }: { without?: ApiPart[] } = {}) {
  describe(`the service ${name}`, () => {
    for (const [part, suite] of Object.entries(parts)) {
      if (!without.includes(part as ApiPart)) suite(open);
    }
  });
}
