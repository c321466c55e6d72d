import { defineSink, type Outcome, type Sink } from "@afterword/node/forwarder";
import type { ProjectConfig, ServerConfig, SurveyConfig } from "@afterword/reference-server";
import { describe, expectTypeOf, it } from "vitest";

// Read by `run types`, against the declarations as they are built: each line after `@ts-expect-error` must not compile. What a
// page does not compile with is in packages/browser/src.

describe("a sink does not compile", () => {
  const delivered: Outcome = { outcome: "delivered" };

  it("without a name or `deliver`, or with one outcome for all scores", () => {
    expectTypeOf<Sink>().toExtend<{ name: string }>();
    const deliver = async () => [delivered];
    void (() => defineSink({ name: "own", deliver }));
    // @ts-expect-error -- no name
    void (() => defineSink({ deliver }));
    // @ts-expect-error -- nothing delivers
    void (() => defineSink({ name: "own" }));
    // @ts-expect-error -- one outcome, and no list of them
    void (() => defineSink({ name: "own", deliver: async () => delivered }));
    // @ts-expect-error -- outcomes that are not waited for
    void (() => defineSink({ name: "own", deliver: () => [delivered] }));
    // @ts-expect-error -- a number in words
    void (() => defineSink({ name: "own", deliver, batchSize: "10" }));
    // @ts-expect-error -- neither include nor omit
    void (() => defineSink({ name: "own", deliver, textByDefault: "all" }));
  });

  it("with an outcome that has another name, or no reason", () => {
    // @ts-expect-error -- a word that the forwarder does not know
    const unknown: Outcome = { outcome: "failed", reason: "no" };
    // @ts-expect-error -- a retry without a reason
    const silent: Outcome = { outcome: "retry" };
    // @ts-expect-error -- what waits is a score or the sink
    const wide: Outcome = { outcome: "retry", reason: "busy", scope: "all" };
    // @ts-expect-error -- an outcome that is final has no wait
    const late: Outcome = { outcome: "permanent", reason: "no", afterInMs: 5 };
    expectTypeOf([unknown, silent, wide, late]).toExtend<Outcome[]>();
  });

  it("that changes a score, or reads what a score does not have", () => {
    const sink: Sink = {
      name: "own",
      async deliver(scores, { signal }) {
        // @ts-expect-error -- the list is the forwarder's
        void (() => scores.pop());
        // @ts-expect-error -- a rating may be missing
        void (() => scores.map(({ rating }) => rating.toFixed()));
        // @ts-expect-error -- a score names no person
        void (() => scores.map(({ respondentId }) => respondentId));
        signal.throwIfAborted();
        return scores.map(() => delivered);
      },
    };
    expectTypeOf(sink.deliver).returns.resolves.toEqualTypeOf<Outcome[]>();
  });
});

describe("a config does not compile", () => {
  const survey: SurveyConfig = {
    id: "nps",
    slug: "nps",
    type: "nps",
    question: "How?",
    presentation: "corner",
    trigger: "manual",
    status: "active",
  };
  const project: ProjectConfig = { id: "shop", name: "Shop", allowedOrigins: [], surveys: [survey] };

  it("with a field that is missing or misspelt", () => {
    expectTypeOf({ projects: [project] }).toExtend<ServerConfig>();
    // @ts-expect-error -- no projects
    const empty: ServerConfig = {};
    // @ts-expect-error -- origins must be said, were there none
    const closed: ProjectConfig = { id: "shop", name: "Shop", surveys: [] };
    // @ts-expect-error -- it is allowedOrigins
    const misspelt: ProjectConfig = { ...project, origins: ["*"] };
    expectTypeOf([empty, { projects: [closed, misspelt] }]).toExtend<ServerConfig[]>();
  });

  it("with a value of another kind", () => {
    // @ts-expect-error -- limits are turned off by false
    const unlimited: ServerConfig = { projects: [], rateLimits: true };
    // @ts-expect-error -- one origin, and no list of them
    const single: ProjectConfig = { ...project, allowedOrigins: "*" };
    // @ts-expect-error -- no type of survey
    const stars: SurveyConfig = { ...survey, type: "stars" };
    // @ts-expect-error -- a time has a unit
    const unitless: ServerConfig = { projects: [], tokens: { boundLifetime: 604_800 } };
    // @ts-expect-error -- after a time, or in each run
    const again: SurveyConfig = { ...survey, askAgain: { eachRun: false } };
    expectTypeOf([unlimited, unitless, { projects: [{ ...single, surveys: [stars, again] }] }]).toExtend<
      ServerConfig[]
    >();
  });
});
