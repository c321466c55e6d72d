import { expect, it, vi } from "vitest";
import { defineSurveyElement, type Afterword } from "../index.ts";

it("defining the element again throws nothing: elements that come later ask the newest client", async () => {
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
  await expect.poll(() => second.mock.calls).toEqual([["after", { slot: after }]]);
  expect(first.mock.calls).toEqual([["before", { slot: before }]]);
});

it("an element that gets its slug just after it was inserted asks then, once", async () => {
  const ask = vi.fn<Afterword["ask"]>();
  defineSurveyElement(ask);
  const element = document.createElement("afterword-survey");
  document.body.append(element);
  element.setAttribute("slug", "late");
  await expect.poll(() => ask.mock.calls).toEqual([["late", { slot: element }]]);
});

it("an element that moves does not ask again; one that is put back later does", async () => {
  const ask = vi.fn<Afterword["ask"]>();
  defineSurveyElement(ask);
  const element = document.createElement("afterword-survey");
  element.setAttribute("slug", "moved");
  document.body.append(element);
  const other = document.body.appendChild(document.createElement("div"));
  other.append(element);
  document.body.prepend(element);
  await expect.poll(() => ask.mock.calls).toEqual([["moved", { slot: element }]]);
  other.append(element);
  element.remove();
  await Promise.resolve();
  document.body.append(element);
  await expect.poll(() => ask.mock.calls).toHaveLength(2);
});

it("an element without a slug is reported by the client, and asks whenever it gets one", async () => {
  const ask = vi.fn<Afterword["ask"]>();
  defineSurveyElement(ask);
  const element = document.createElement("afterword-survey");
  document.body.append(element);
  await expect.poll(() => ask.mock.calls).toEqual([[undefined, { slot: element }]]);
  element.setAttribute("slug", "later");
  await expect.poll(() => ask.mock.calls.at(-1)).toEqual(["later", { slot: element }]);
});

it("a survey that shows in an element before that is defined stays, until an attribute changes", async () => {
  const ask = vi.fn<Afterword["ask"]>();
  defineSurveyElement(ask);
  const element = document.createElement("afterword-survey");
  element.setAttribute("slug", "early");
  element.append(document.createElement("afterword-view"));
  // One without it is a copy of the markup, and removes itself.
  element.querySelector("afterword-view")!.attachShadow({ mode: "open" });
  document.body.append(element);
  await expect.poll(() => ask.mock.calls).toHaveLength(1);
  expect(element.firstChild).not.toBeNull();
  element.setAttribute("slug", "another");
  await expect.poll(() => element.firstChild).toBeNull();
});
