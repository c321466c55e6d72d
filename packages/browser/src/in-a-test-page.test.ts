import { expect, it, vi } from "vitest";
import { createAfterword, type SurveyDefinition } from "./index.ts";

const survey: SurveyDefinition = {
  id: "s",
  slug: "s",
  type: "csat",
  question: "How did it go?",
  presentation: "corner",
  trigger: "manual",
};

it("shows a survey in happy-dom, which has no popovers, without reporting an error", async () => {
  const baseUrl = "https://feedback.example.com";
  const afterword = createAfterword({ key: "aw_pk_x", baseUrl, consent: "required" });
  const onError = vi.fn<(error: Error) => void>();
  afterword.on("error", onError);
  afterword.preview(survey);
  const text = () => document.querySelector("afterword-view")?.shadowRoot?.textContent;
  await vi.waitFor(() => expect(text()).toContain("How did it go?"), { timeout: 10_000 });
  afterword.destroy();
  expect(onError.mock.calls).toEqual([]);
});

it("draws no survey that the page has claimed, inline ones without a slot included", async () => {
  const afterword = createAfterword({
    key: "aw_pk_x",
    baseUrl: "https://feedback.example.com",
    consent: "required",
  });
  const draw = vi.fn<() => void>();
  afterword.subscribe(draw);
  const release = afterword.claim("s");
  afterword.preview({ ...survey, presentation: "inline" });
  await vi.waitFor(() => expect(draw).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(afterword.getSurvey("s")?.survey.question).toBe("How did it go?");
  expect(document.querySelector("afterword-view")).toBeNull();
  release();
  expect(afterword.getSurvey()).toBeUndefined();
  afterword.preview(survey);
  await vi.waitUntil(() => document.querySelector("afterword-view"), { timeout: 10_000 });
  afterword.destroy();
});
