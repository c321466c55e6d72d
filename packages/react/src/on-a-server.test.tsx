// @vitest-environment node
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { AfterwordProvider, InlineSurvey, Thumbs, useRunFeedback, useSurvey } from "./index.ts";

const run = { tokens: { answer: "st2.token" }, sessionId: "run-1" };

function Drawn() {
  const survey = useSurvey("how-easy");
  const { canRate, result } = useRunFeedback(run);
  return <p>{JSON.stringify([survey, canRate, result])}</p>;
}

it("on a server everything renders, nothing is sent, and two projects do not disturb each other", () => {
  const fetch = vi.spyOn(globalThis, "fetch");
  const warnings = vi.spyOn(console, "error");
  const html = ["aw_pk_one", "aw_pk_two"].map((key) =>
    renderToString(
      <AfterwordProvider options={{ key, baseUrl: "https://feedback.example.com" }} userId="mara">
        <Drawn />
        <InlineSurvey slug="how-easy" className="survey" />
        <Thumbs run={run} className="thumbs" />
      </AfterwordProvider>,
    ),
  );
  expect(html[0]).toBe(html[1]);
  expect(html[0]).toContain("<p>[null,true,null]</p>");
  expect(html[0]).toMatch(/<div class="survey" style="min-height:149px"><\/div>/);
  expect(html[0]).toMatch(
    /<afterword-thumbs class="thumbs" style="display:inline-flex;vertical-align:middle;min-width:68px;min-height:32px"/,
  );
  expect(html[0]).toContain('survey-id="answer" session-id="run-1"');
  expect([fetch.mock.calls, warnings.mock.calls]).toEqual([[], []]);
  vi.restoreAllMocks();
});
