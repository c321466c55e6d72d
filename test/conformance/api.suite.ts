import { type Extension } from "@afterword/conformance";
import { describe } from "vitest";
import { type OpenWorld } from "./api/api-world.ts";
import { askingAgainSuite } from "./api/asking-again.suite.ts";
import { contractSuite } from "./api/contract.suite.ts";
import { extensionsSuite } from "./api/extensions.suite.ts";
import { fuzzSuite } from "./api/fuzz.suite.ts";
import { gatingSuite } from "./api/gating.suite.ts";
import { hostileSuite } from "./api/hostile.suite.ts";
import { httpSuite } from "./api/http.suite.ts";
import { limitsSuite } from "./api/limits.suite.ts";
import { privacySuite } from "./api/privacy.suite.ts";
import { queueSuite } from "./api/queue.suite.ts";
import { restartSuite } from "./api/restart.suite.ts";
import { runCountsSuite } from "./api/run-counts.suite.ts";
import { samplingSuite } from "./api/sampling.suite.ts";
import { useApi } from "./api/suite-api.ts";
import { submitSuite } from "./api/submit.suite.ts";
import { tokenSuite } from "./api/token.suite.ts";

/** Parts that call one running service, each with respondents of its own. */
const parts = {
  token: tokenSuite,
  submit: submitSuite,
  gating: gatingSuite,
  askingAgain: askingAgainSuite,
  sampling: samplingSuite,
  queue: queueSuite,
  privacy: privacySuite,
  http: httpSuite,
  hostile: hostileSuite,
  fuzz: fuzzSuite,
};

/** Parts that start services of their own. */
const startingParts = {
  extensions: extensionsSuite,
  limits: limitsSuite,
  restart: restartSuite,
  runCounts: runCountsSuite,
};

export type ApiPart = keyof typeof parts | keyof typeof startingParts | "contract";

/** What is decided before a store is asked, and so is the same on every engine. */
export const requestParts: ApiPart[] = ["extensions", "http", "limits", "hostile", "fuzz"];

/** What is about records that one node writes and another reads; a quick run has it on PostgreSQL by nodes alone. */
export const nodesParts: ApiPart[] = ["askingAgain", "queue", "privacy", "submit", "token"];

/**
 * Everything that can be seen of the service from outside, for any engine and any arrangement of nodes. Some parts are
 * not about the service where something stands before it, or have nothing to do with the engine.
 */
export function apiSuite(
  name: string,
  open: OpenWorld,
  { without = [], only, lacks = [] }: { without?: ApiPart[]; only?: ApiPart[]; lacks?: Extension[] } = {},
) {
  describe(`the service ${name}`, () => {
    const isMeant = (part: string) =>
      !without.includes(part as ApiPart) && only?.includes(part as ApiPart) !== false;
    const api = useApi(open);
    for (const [part, suite] of Object.entries(parts)) if (isMeant(part)) suite(api);
    for (const [part, suite] of Object.entries(startingParts)) if (isMeant(part)) suite(open);
    if (isMeant("contract")) contractSuite(open, isMeant("limits") ? lacks : ["rate-limits", ...lacks]);
  });
}
