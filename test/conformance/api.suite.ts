import { describe } from "vitest";
import { accessSuite } from "./api/access.suite.ts";
import { type OpenWorld } from "./api/api-world.ts";
import { fuzzSuite } from "./api/fuzz.suite.ts";
import { gatingSuite } from "./api/gating.suite.ts";
import { hostileSuite } from "./api/hostile.suite.ts";
import { httpSuite } from "./api/http.suite.ts";
import { isolationSuite } from "./api/isolation.suite.ts";
import { limitsSuite } from "./api/limits.suite.ts";
import { privacySuite } from "./api/privacy.suite.ts";
import { queueSuite } from "./api/queue.suite.ts";
import { raceSuite } from "./api/race.suite.ts";
import { restartSuite } from "./api/restart.suite.ts";
import { submitSuite } from "./api/submit.suite.ts";
import { tokenSuite } from "./api/token.suite.ts";

/**
 * Everything that can be seen of the service from outside, for any engine and any arrangement of nodes. Several nodes
 * share their limits in blocks of permits (decision D40), so theirs are not exact and have tests of their own.
 */
export function apiSuite(name: string, open: OpenWorld, { hasExactLimits = true } = {}) {
  describe(`the service ${name}`, () => {
    accessSuite(open);
    tokenSuite(open);
    submitSuite(open);
    gatingSuite(open);
    queueSuite(open);
    privacySuite(open);
    httpSuite(open);
    if (hasExactLimits) limitsSuite(open);
    restartSuite(open);
    isolationSuite(open);
    raceSuite(open);
    hostileSuite(open);
    fuzzSuite(open);
  });
}
