/** Sources that are mutated together, and the tests that are to fail: files of projects of test/vitest.config.ts. */
export interface Group {
  mutate: string[];
  tests: Record<string, string[]>;
}

const domain = "reference-server/src/domain";
const protocol = "packages/protocol/src";
const delivery = "packages/node/src/delivery";
const outbox = "packages/browser/src/core/outbox";

/** What the core of a forwarder is made of. */
const core = ["acknowledgements", "forwarder-core", "score-book", "open-calls", "queue-reader"];

// Rules without I/O alone. What they are called by, such as the stores and the forwarder's loop, is tested with real parts
// (docs/evidence/proofs.md).
export const groups: Record<string, Group> = {
  "tokens": {
    mutate: [`${domain}/show-token.ts`],
    tests: { "reference-server": ["domain/show-token.test.ts"] },
  },
  "gating": { mutate: [`${domain}/gating.ts`], tests: { "reference-server": ["domain/gating.test.ts"] } },
  "sampling": {
    mutate: [`${domain}/run-sampling.ts`, `${protocol}/sampling.ts`, `${protocol}/targeting.ts`],
    tests: {
      "reference-server": ["domain/run-sampling.test.ts"],
      "protocol": ["sampling.test.ts", "targeting.test.ts"],
    },
  },
  "ack-folding": {
    mutate: [`${domain}/score-queue.ts`],
    tests: { "reference-server": ["domain/score-queue.test.ts"] },
  },
  "selectors": {
    mutate: [
      `${domain}/selection.ts`,
      "packages/server/src/audit/audited-selection.ts",
      `${protocol}/privacy.ts`,
      "packages/node/src/privacy/privacy.ts",
    ],
    tests: {
      "reference-server": ["domain/selection.test.ts"],
      "server": ["audit/audited-selection.test.ts"],
      "protocol": ["privacy.test.ts", "openapi.test.ts"],
      "node": ["privacy/*.test.ts"],
    },
  },
  "outbox": {
    mutate: [`${outbox}/*.ts`, "!**/*.test.ts"],
    tests: {
      browser: [
        "core/outbox/*.test.ts",
        "core/rating/rate.test.ts",
        "core/asking/asking-again.test.ts",
        "core/asking/endings.test.ts",
        "core/client/consent.test.ts",
      ],
    },
  },
  "forwarder": {
    mutate: [...core, "delivery-run", "service-request"].map((name) => `${delivery}/${name}.ts`),
    tests: {
      node: [
        "forwarder.test.ts",
        "sinks/sink-pace.test.ts",
        ...["delivery-loop", "forwarder-core", "forwarder-status", "lease", "queue-reader"].map(
          (name) => `delivery/${name}.test.ts`,
        ),
      ],
    },
  },
};
