import { describe } from "vitest";
import { accessSuite } from "./api/access.suite.ts";
import { type OpenWorld } from "./api/api-world.ts";
import { gatingSuite } from "./api/gating.suite.ts";
import { httpSuite } from "./api/http.suite.ts";
import { privacySuite } from "./api/privacy.suite.ts";
import { queueSuite } from "./api/queue.suite.ts";
import { submitSuite } from "./api/submit.suite.ts";
import { tokenSuite } from "./api/token.suite.ts";

/** Everything that can be seen of the service from outside, for any engine and any arrangement of nodes. */
export function apiSuite(name: string, open: OpenWorld) {
  describe(name, () => {
    accessSuite(open);
    tokenSuite(open);
    submitSuite(open);
    gatingSuite(open);
    queueSuite(open);
    privacySuite(open);
    httpSuite(open);
  });
}
