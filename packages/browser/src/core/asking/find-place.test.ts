import type { SurveyDefinition } from "@afterword/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { Context } from "../context/context.ts";
import { findPlace } from "./find-place.ts";

const survey = { slug: "the-one", presentation: "inline" } as SurveyDefinition;
const pageThat = (entryPoint = {}) => ({ page: window, options: {}, entryPoint }) as unknown as Context;
const element = (html = "") => {
  document.body.innerHTML = `<div></div>${html}`;
  return document.body.lastElementChild as HTMLElement;
};

afterEach(() => document.body.replaceChildren());

describe("the place of an inline survey", () => {
  it("is the element it is given, before the one that names its slug", () => {
    const own = element();
    const named = document.body.appendChild(document.createElement("div"));
    named.dataset["afterwordSlot"] = survey.slug;
    expect(findPlace(pageThat(), survey, own)).toBe(own);
    expect(findPlace(pageThat(), survey)).toBe(named);
  });

  it("is none if the page has taken the element away, or has none", () => {
    const own = element();
    own.remove();
    expect(findPlace(pageThat(), survey, own)).toBeNull();
    expect(findPlace(pageThat(), survey)).toBeNull();
  });

  it("is found in open shadow roots, inside others too, after the elements of the document", () => {
    const inside = element("<div></div>").attachShadow({ mode: "open" });
    inside.innerHTML = "<p><b></b></p>";
    const deeper = inside.querySelector("b")!.parentElement!.attachShadow({ mode: "open" });
    deeper.innerHTML = `<div data-afterword-slot="another"></div><div data-afterword-slot="the-one"></div>`;
    expect(findPlace(pageThat(), survey)).toBe(deeper.lastElementChild);
    const named = document.body.appendChild(document.createElement("div"));
    named.dataset["afterwordSlot"] = survey.slug;
    expect(findPlace(pageThat(), survey)).toBe(named);
  });

  it("is not found in a closed shadow root, where the page gives the element", () => {
    const closed = element("<div></div>").attachShadow({ mode: "closed" });
    closed.innerHTML = `<div data-afterword-slot="the-one"></div>`;
    const own = closed.firstElementChild as HTMLElement;
    expect(findPlace(pageThat(), survey)).toBeNull();
    expect(findPlace(pageThat(), survey, own)).toBe(own);
  });

  it("needs no element where the page draws itself", () => {
    expect(findPlace(pageThat({ isHeadless: () => true }), survey)).toBeUndefined();
  });
});

describe("the place of another survey", () => {
  it("is no element of the page, also if one is given", () => {
    expect(findPlace(pageThat(), { ...survey, presentation: "corner" }, element())).toBeUndefined();
  });
});
