import { expect, it, vi } from "vitest";
import { defineSurveyElement, type Afterword } from "./index.ts";

it("defining the element again throws nothing: elements that come later ask the newest client", () => {
  const [first, second] = [vi.fn<Afterword["ask"]>(), vi.fn<Afterword["ask"]>()];
  const insert = (slug: string) => {
    const element = document.createElement("afterword-survey");
    element.setAttribute("slug", slug);
    document.body.append(element);
    return element;
  };
  defineSurveyElement(first);
  const before = insert("before");
  defineSurveyElement(second);
  const after = insert("after");
  expect(first.mock.calls).toEqual([["before", { slot: before }]]);
  expect(second.mock.calls).toEqual([["after", { slot: after }]]);
});
