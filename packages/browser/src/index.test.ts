// @vitest-environment node
import { describe, expect, it } from "vitest";
import { createHeadlessAfterword } from "./headless.ts";
import { AfterwordError, createAfterword, defineSurveyElement } from "./index.ts";
import { defineThumbsElement } from "./thumbs.ts";

const options = { key: "aw_pk_x", baseUrl: "https://feedback.example.com" };

describe("on a server", () => {
  it.each([
    ["createAfterword", createAfterword],
    ["createHeadlessAfterword", createHeadlessAfterword],
  ])("%s can be called, and every command does nothing", (_, create) => {
    const { identify, install, task, resolve, ask, close, consent, reset, on, destroy } = create(options);
    identify("mara");
    install({ surveyId: "s", token: "t", sessionId: "r" });
    for (const command of [task, resolve, close, reset, destroy]) expect(command()).toBeTypeOf("function");
    ask("how-did-it-go");
    consent(true);
    expect(on("shown", () => {})()).toBeUndefined();
  });

  it("elements are not defined, so that a framework can render on a server", () => {
    expect(() => defineSurveyElement(createAfterword(options).ask)).not.toThrow();
    expect(() => defineThumbsElement(createAfterword(options).rate)).not.toThrow();
  });

  it("the headless entry point has nothing to draw", () => {
    const { getSurvey, subscribe } = createHeadlessAfterword(options);
    expect(getSurvey()).toBeUndefined();
    expect(subscribe(() => {})()).toBeUndefined();
  });
});

describe("an error", () => {
  it("is recognised over two copies of the package", () => {
    const own = new AfterwordError("network", "POST /v1/sdk/bootstrap: no reply");
    const foreign = Object.assign(new Error("x"), { [Symbol.for("afterword.error")]: true });
    expect([own, foreign].map((error) => AfterwordError.isInstance(error))).toEqual([true, true]);
  });

  it.each([undefined, null, "text", new Error("another")])("%s is none of ours", (error) => {
    expect(AfterwordError.isInstance(error)).toBe(false);
  });
});
