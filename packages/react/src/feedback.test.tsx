import type { HeadlessAfterword } from "@afterword/browser";
import { act, createRef, type ReactElement, StrictMode } from "react";
import { describe, expect, it, vi } from "vitest";
import { mint, pendingSessions, useService, storedFor } from "../../browser/fixtures/test-service.ts";
import { aClient } from "../fixtures/a-client.ts";
import { render } from "../fixtures/render.ts";
import { createFeedbackAdapter } from "./assistant-ui.ts";
import {
  AfterwordProvider,
  type HandedOverRun,
  InlineSurvey,
  type RunFeedback,
  Thumbs,
  useRunFeedback,
} from "./index.ts";

const service = useService();

/** A finished run as the server hands it over. */
async function aRun(person: string, surveyId = "auto"): Promise<HandedOverRun> {
  const sessionId = `session-of-${person}`;
  const { token } = await mint(service, surveyId, person, sessionId);
  return { tokens: { [surveyId]: token }, sessionId };
}

/** A component below a provider. */
const renderWith = (client: HeadlessAfterword, element: ReactElement) =>
  render(<AfterwordProvider client={client}>{element}</AfterwordProvider>);

const within = { timeout: 10_000 };

const buttons = (container: HTMLElement) => [
  ...container.querySelector("afterword-thumbs")!.shadowRoot!.querySelectorAll("button"),
];

/** Chooses 4 in the survey of a container, as soon as it is drawn. */
const rateBy4 = async (container: HTMLElement) => {
  const find = () => container.querySelector("afterword-view")?.shadowRoot?.querySelector("input[value='4']");
  ((await vi.waitUntil(find, within)) as HTMLInputElement).click();
};

/** What the service will hold of one person. */
const stored = (person: string) => expect.poll(() => storedFor(service, person), within);

describe("useRunFeedback", () => {
  let feedback: RunFeedback;
  function Stars({ run }: { run?: HandedOverRun }) {
    feedback = useRunFeedback(run);
    return <output>{feedback.result}</output>;
  }

  it("sends a rating of this run, and tells what became of it", async () => {
    const { client, person } = aClient(service.url);
    const run = await aRun(person);
    const { container } = await renderWith(client, <Stars run={run} />);
    expect(feedback.canRate).toBe(true);
    await act(async () => void (await feedback.rate({ rating: 4 })));
    expect(container.textContent).toBe("stored");
    expect(await pendingSessions(service)).toContain(run.sessionId);
  });

  it("asks about this run by the widget, linked to it", async () => {
    const { client, person } = aClient(service.url);
    const run = await aRun(person, "manual");
    await renderWith(client, <Stars run={run} />);
    client.claim();
    feedback.ask("when-asked");
    const survey = await vi.waitUntil(() => client.getSurvey(), within);
    await survey.submit({ rating: 7 });
    expect(await pendingSessions(service)).toContain(run.sessionId);
  });

  it("drops its result when the run changes, also one that arrives later, and keeps it for a new token of the run", async () => {
    const { client, person } = aClient(service.url);
    const run = await aRun(person);
    const stars = (run: HandedOverRun) => (
      <AfterwordProvider client={client}>
        <Stars run={run} />
      </AfterwordProvider>
    );
    const { container, show } = await render(stars(run));
    await act(async () => void (await feedback.rate({ rating: 4 })));
    await show(stars({ ...run, tokens: { auto: "minted anew" } }));
    expect(container.textContent).toBe("stored");
    const next = { ...run, sessionId: "next" };
    await show(stars(next));
    expect(container.textContent).toBe("");
    let late: Promise<unknown> | undefined;
    await act(() => void (late = feedback.rate({ rating: 4 })));
    await show(stars(run));
    await act(async () => void (await late));
    expect(container.textContent).toBe("");
    await show(stars(next));
    expect(container.textContent).toBe("");
  });

  it("of a run with two surveys rates the only one of the type, and otherwise an error names them", async () => {
    const { client, person, errors } = aClient(service.url);
    const [one, other] = [await aRun(person), await aRun(person, "manual")];
    await renderWith(client, <Stars run={{ ...one, tokens: { ...other.tokens, ...one.tokens } }} />);
    await act(async () => expect(await feedback.rate({ rating: 4 })).toBe("refused"));
    expect(errors).toMatchObject([
      { message: "pass surveyId: the run has tokens of manual (nps), auto (csat)" },
    ]);
    await act(async () => expect(await feedback.rate({ rating: 4 }, { type: "csat" })).toBe("stored"));
    expect(await storedFor(service, person)).toMatchObject([{ surveyId: "auto", rating: 4 }]);
  });

  it("has nothing to rate without a token, and says so", async () => {
    const { client } = aClient(service.url);
    await renderWith(client, <Stars run={{ tokens: {}, sessionId: "gated" }} />);
    await act(async () => expect(await feedback.rate({ rating: 4 })).toBe("refused"));
    expect([feedback.canRate, feedback.result]).toEqual([false, "refused"]);
  });
});

describe("<Thumbs>", () => {
  it("a vote is stored with the session of its run, though the component unmounts at once", async () => {
    const { client, person, errors } = aClient(service.url);
    const run = await aRun(person);
    const ref = createRef<HTMLElement>();
    const { container, unmount } = await renderWith(
      client,
      <StrictMode>
        <Thumbs run={run} ref={ref} className="thumbs" data-answer="1" />
      </StrictMode>,
    );
    await vi.waitUntil(() => buttons(container).length > 0, within);
    expect(ref.current).toBe(container.querySelector("afterword-thumbs.thumbs[data-answer='1']"));
    buttons(container)[0]!.click();
    await unmount();
    await stored(person).toMatchObject([{ rating: 5 }]);
    expect([await pendingSessions(service), errors]).toEqual([expect.arrayContaining([run.sessionId]), []]);
  });

  it("getToken mints at the first press", async () => {
    const { client, person } = aClient(service.url);
    const { surveyId, sessionId, token } = await mint(service, "auto", person, "minted-late");
    const getToken = vi.fn<() => Promise<string>>(async () => token);
    const { container, unmount } = await renderWith(
      client,
      <Thumbs surveyId={surveyId} sessionId={sessionId} getToken={getToken} />,
    );
    await vi.waitUntil(() => buttons(container).length > 0, within);
    expect(getToken).not.toHaveBeenCalled();
    buttons(container)[1]!.click();
    await unmount();
    await stored(person).toMatchObject([{ rating: 1 }]);
    expect(getToken).toHaveBeenCalledOnce();
  });

  it.each([
    ["is not there yet", undefined],
    ["has no token", { tokens: {}, sessionId: "gated" }],
  ])("keeps its space and stays empty while its run %s", async (_, run) => {
    const { client } = aClient(service.url);
    const { container } = await renderWith(client, <Thumbs run={run} style={{ margin: 4 }} />);
    const { style, shadowRoot } = container.querySelector<HTMLElement>("afterword-thumbs")!;
    // The element's own style sheet gives the empty box its size.
    expect([style.cssText, shadowRoot!.innerHTML]).toEqual(["margin: 4px;", `<div class="thumbs"></div>`]);
  });

  it("with tokens of two csat surveys they are empty, and one error event names the surveys", async () => {
    const { client, person, errors } = aClient(service.url);
    const [one, other] = [await aRun(person), await aRun(person, "inline")];
    const { container } = await renderWith(
      client,
      <StrictMode>
        <Thumbs run={{ ...one, tokens: { ...one.tokens, ...other.tokens } }} />
      </StrictMode>,
    );
    await vi.waitUntil(() => errors.length > 0, within);
    const message = "pass surveyId: the run has tokens of auto (csat), inline (csat)";
    expect([errors.map((error) => error.message), buttons(container)]).toEqual([[message], []]);
  });
});

it("the vote of <Thumbs> is what the assistant-ui adapter says was submitted, and a remounted element shows it", async () => {
  const { client, person } = aClient(service.url);
  const run = await aRun(person);
  const adapter = createFeedbackAdapter(client);
  const message = { metadata: { custom: { afterword: run } }, content: [] };
  const chat = (key: string) => (
    <AfterwordProvider client={client}>
      <Thumbs key={key} run={run} />
    </AfterwordProvider>
  );
  const { container, show } = await render(chat("temporary"));
  await vi.waitUntil(() => buttons(container).length > 0, within);
  expect(adapter.submittedFeedback(message)).toBeUndefined();
  await vi.waitUntil(() => client.voteOf({ ...run, surveyId: "auto" }), within);
  buttons(container)[1]!.click();
  await show(chat("final"));
  await vi.waitUntil(() => adapter.submittedFeedback(message), within);
  expect(adapter.submittedFeedback(message)).toEqual({ type: "negative" });
  const pressed = () =>
    buttons(container).map((button) => button.ariaPressed ?? button.getAttribute("aria-pressed"));
  await vi.waitUntil(() => pressed()[1] === "true", within);
  await stored(person).toMatchObject([{ rating: 1 }]);
});

describe("<InlineSurvey>", () => {
  it("shows the survey where it stands; unmounting sends a rating that was chosen, with the run's session", async () => {
    const { client, person } = aClient(service.url);
    const run = await aRun(person, "inline");
    const ref = createRef<HTMLDivElement>();
    const { container, unmount } = await renderWith(
      client,
      <StrictMode>
        <InlineSurvey slug="in-the-page" run={run} ref={ref} className="survey" />
      </StrictMode>,
    );
    expect(ref.current!.style.minHeight).toBe("149px");
    await rateBy4(container);
    expect(container.querySelector("div.survey > afterword-view")).not.toBeNull();
    await unmount();
    await stored(person).toMatchObject([{ rating: 4 }]);
    expect(await pendingSessions(service)).toContain(run.sessionId);
  });

  it("reserves the height that the page names, and gives it back once the survey is answered or not shown", async () => {
    const { client, person } = aClient(service.url);
    const inline = (slug: string, run: HandedOverRun) => (
      <AfterwordProvider client={client}>
        <InlineSurvey slug={slug} run={run} style={{ minHeight: 195, margin: 4 }} />
      </AfterwordProvider>
    );
    const { container, show } = await render(inline("in-the-page", await aRun(person, "inline")));
    const style = () => container.querySelector("div")!.style.cssText;
    expect(style()).toBe("min-height: 195px; margin: 4px;");
    await rateBy4(container);
    expect(style()).toBe("min-height: 195px; margin: 4px;");
    const [closed, notShown] = [vi.fn<() => void>(), vi.fn<() => void>()];
    client.on("closed", closed);
    client.on("notShown", notShown);
    await act(async () => client.close());
    await act(() => vi.waitFor(() => expect(closed).toHaveBeenCalled(), within));
    expect(style()).toBe("margin: 4px;");
    await show(inline("no-such-survey", { tokens: { none: "t" }, sessionId: "s" }));
    await act(() => vi.waitFor(() => expect(notShown).toHaveBeenCalled(), within));
    expect(style()).toBe("margin: 4px;");
  });

  it("of a run with two surveys takes the token of the survey that it shows", async () => {
    const { client, person, errors } = aClient(service.url);
    const [one, other] = [await aRun(person, "inline"), await aRun(person, "manual")];
    const { container } = await renderWith(
      client,
      <InlineSurvey slug="in-the-page" run={{ ...one, tokens: { ...other.tokens, ...one.tokens } }} />,
    );
    await rateBy4(container);
    client.close();
    await stored(person).toMatchObject([{ rating: 4 }]);
    expect([await pendingSessions(service), errors]).toEqual([expect.arrayContaining([one.sessionId]), []]);
  });

  it("mints once, in StrictMode too", async () => {
    const { client, person } = aClient(service.url);
    const { surveyId, sessionId, token } = await mint(service, "inline", person, "inline-late");
    const getToken = vi.fn<() => Promise<string>>(async () => token);
    const { container } = await renderWith(
      client,
      <StrictMode>
        <InlineSurvey slug="in-the-page" surveyId={surveyId} sessionId={sessionId} getToken={getToken} />
      </StrictMode>,
    );
    await vi.waitUntil(() => container.querySelector("afterword-view"), within);
    expect(getToken).toHaveBeenCalledOnce();
  });

  it("waits for its run, takes no space for one without a token, and gives back that of a survey that is not shown", async () => {
    const { client } = aClient(service.url);
    const inline = (run?: HandedOverRun, slug = "in-the-page") => (
      <AfterwordProvider client={client}>
        <InlineSurvey slug={slug} run={run} />
      </AfterwordProvider>
    );
    const ask = vi.spyOn(client, "ask");
    const notShown = vi.fn<() => void>();
    client.on("notShown", notShown);
    const { container, show } = await render(inline());
    const height = () => container.querySelector("div")!.style.minHeight;
    expect([height(), ask.mock.calls]).toEqual(["149px", []]);
    await show(inline({ tokens: {}, sessionId: "gated" }));
    expect([height(), ask.mock.calls]).toEqual(["", []]);
    await show(inline({ tokens: { none: "t" }, sessionId: "s" }, "no-such-survey"));
    await act(() => vi.waitFor(() => expect(notShown).toHaveBeenCalled(), within));
    expect(height()).toBe("");
    expect(ask).toHaveBeenCalledOnce();
  });
});
