import { describe, expect, it } from "vitest";
import { InvalidConfig, parseConfig } from "./parse-config.ts";

const survey = {
  id: "s",
  slug: "slug",
  type: "nps",
  question: "How likely?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
};
const project = { id: "p", name: "P", allowedOrigins: ["https://a.example"], surveys: [survey] };

/** Paths of the mistakes, sorted. */
function mistakesIn(config: unknown): string[] {
  try {
    parseConfig(config);
  } catch (error) {
    if (InvalidConfig.isInstance(error)) return error.mistakes.map(({ path }) => path).sort();
    throw error;
  }
  return [];
}

describe("a config", () => {
  it("needs only a project without surveys, and gets no defaults", () => {
    const config = { projects: [{ ...project, surveys: [] }] };
    expect(parseConfig(config)).toEqual(config);
  });

  it("accepts every setting", () => {
    const limits = { perMinute: 10, burst: 2 };
    const config = {
      projects: [
        {
          ...project,
          publishableKey: `aw_pk_${"x".repeat(24)}`,
          secretKey: `aw_sk_${"x".repeat(24)}`,
          gating: { quietPeriod: "30d", monthlyCap: 2, surveyMaximum: 1000 },
          surveys: [
            {
              ...survey,
              maximum: 5,
              unprompted: true,
              askAgain: { after: "90d", afterDismissal: "180d" },
              targeting: [{ trait: "plan", op: "eq", value: "pro" }],
            },
          ],
        },
      ],
      trustedProxies: 1,
      rateLimits: {
        address: limits,
        public: limits,
        project: limits,
        mint: limits,
        pending: limits,
        ack: limits,
        badAuth: limits,
      },
      nodes: 3,
      tokens: { unboundLifetime: "24h", boundLifetime: "7d" },
    };
    expect(parseConfig(config)).toEqual(config);
    expect(mistakesIn({ ...config, rateLimits: false })).toEqual([]);
  });

  it("reports all errors at once, each with its path", () => {
    const config = {
      projects: [
        {
          ...project,
          id: "",
          allowedOrigins: ["a.example"],
          surveys: [{ ...survey, type: "stars", colour: "red" }],
        },
        { ...project, gating: { quietPeriod: "a month", monthlyCap: 0 }, secretKey: "short" },
      ],
      trustedProxies: -1,
      nodes: 0,
      rateLimits: { public: { perMinute: 0 } },
      tokens: { boundLifetime: "31d" },
      port: 80,
    };
    expect(mistakesIn(config)).toEqual([
      "nodes",
      "port",
      "projects[0].allowedOrigins[0]",
      "projects[0].id",
      "projects[0].surveys[0].colour",
      "projects[0].surveys[0].type",
      "projects[1].gating.monthlyCap",
      "projects[1].gating.quietPeriod",
      "projects[1].secretKey",
      "rateLimits.public.perMinute",
      "tokens.boundLifetime",
      "trustedProxies",
    ]);
  });

  it("reports duplicates together with other errors", () => {
    const keys = { publishableKey: `aw_pk_${"x".repeat(24)}`, secretKey: `aw_sk_${"x".repeat(24)}` };
    const surveys = [survey, { ...survey, slug: "other" }, { ...survey, id: "t" }];
    const config = {
      projects: [
        { ...project, ...keys, surveys },
        { ...project, ...keys, name: "" },
      ],
    };
    expect(mistakesIn(config)).toEqual([
      "projects[0].surveys[1].id",
      "projects[0].surveys[2].slug",
      "projects[1].id",
      "projects[1].name",
      "projects[1].publishableKey",
      "projects[1].secretKey",
    ]);
  });

  it.each([null, [], "x", 1, {}, { projects: {} }])("is not %j", (config) => {
    expect(mistakesIn(config)).not.toEqual([]);
  });

  it("error lists everything that is wrong, and isInstance works across copies of the package", () => {
    expect(() => parseConfig({})).toThrow(/^projects: /);
    expect(InvalidConfig.isInstance(new Error("other"))).toBe(false);
  });
});
