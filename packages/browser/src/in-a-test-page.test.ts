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
  await vi.waitFor(() =>
    expect(document.querySelector("afterword-view")?.shadowRoot?.textContent).toContain("How did it go?"),
  );
  afterword.destroy();
  expect(onError.mock.calls).toEqual([]);
});
