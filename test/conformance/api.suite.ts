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
import { runCountsSuite } from "./api/run-counts.suite.ts";
import { samplingSuite } from "./api/sampling.suite.ts";
import { sessionSuite } from "./api/session.suite.ts";
import { useApi } from "./api/suite-api.ts";
import { submitSuite } from "./api/submit.suite.ts";
import { tokenSuite } from "./api/token.suite.ts";

/** Parts that call one running service, each with respondents of its own. */
const parts = {
  access: accessSuite,
  token: tokenSuite,
  submit: submitSuite,
  session: sessionSuite,
  dismissal: dismissalSuite,
  gating: gatingSuite,
  askingAgain: askingAgainSuite,
  sampling: samplingSuite,
  queue: queueSuite,
  privacy: privacySuite,
  http: httpSuite,
  order: orderSuite,
  race: raceSuite,
  hostile: hostileSuite,
  fuzz: fuzzSuite,
};

/** Parts that start services of their own. */
const startingParts = {
  extensions: extensionsSuite,
  limits: limitsSuite,
  restart: restartSuite,
  isolation: isolationSuite,
  runCounts: runCountsSuite,
};

export type ApiPart = keyof typeof parts | keyof typeof startingParts;

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

/** What is about records that one node writes and another reads, on PostgreSQL; a quick run has it by nodes alone. */
export const nodesParts: ApiPart[] = ["askingAgain", "queue", "privacy", "race"];

/**
 * Everything that can be seen of the service from outside, for any engine and any arrangement of nodes. Some parts are
 * not about the service where something stands before it, or have nothing to do with the engine.
 */
export function apiSuite(
  name: string,
  open: OpenWorld,
  { without = [], only }: { without?: ApiPart[]; only?: ApiPart[] } = {},
) {
  describe(`the service ${name}`, () => {
    const isMeant = ([part]: [string, unknown]) =>
      !without.includes(part as ApiPart) && only?.includes(part as ApiPart) !== false;
    const api = useApi(open);
    for (const [, suite] of Object.entries(parts).filter(isMeant)) suite(api);
    for (const [, suite] of Object.entries(startingParts).filter(isMeant)) suite(open);
  });
}
