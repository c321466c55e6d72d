import { createAfterword, type HeadlessSurvey } from "@afterword/browser";
import { createHeadlessAfterword } from "@afterword/browser/headless";
import { act, StrictMode } from "react";
import { describe, expect, it, vi } from "vitest";
import { publishableKey, useService, storedFor } from "../../browser/fixtures/test-service.ts";
import { aClient } from "../fixtures/a-client.ts";
import { errorOf, render } from "../fixtures/render.ts";
import { AfterwordProvider, type ReactClient, useSurvey } from "./index.ts";

const service = useService();

let drawn: HeadlessSurvey | undefined;
function Survey({ slug }: { slug?: string }) {
  drawn = useSurvey(slug);
  return drawn ? <h2>{drawn.survey.question}</h2> : null;
}

/** A page that draws one survey itself. */
async function open(client: ReactClient, slug?: string) {
  const page = (
    <StrictMode>
      <AfterwordProvider client={client}>
        <Survey slug={slug} />
      </AfterwordProvider>
    </StrictMode>
  );
  const rendered = await render(page);
  const refused: string[] = [];
  client.on("notShown", ({ slug, reason }) => refused.push(`${slug}: ${reason}`));
  client.ask("when-asked");
  const shown = () => client.getSurvey?.() ?? document.querySelector("afterword-view");
  // Longer than a request may take, after which the refusal says why.
  await act(() => vi.waitFor(() => expect(shown(), refused.join()).toBeTruthy(), { timeout: 17_000 }));
  return rendered;
}

describe("a survey that a component draws", () => {
  it("is answered through the hook, and the widget stays away", async () => {
    const { client, person } = aClient(service.url);
    const { container } = await open(client, "when-asked");
    expect(container.textContent).toBe("How did it go?");
    expect(document.querySelector("afterword-view")).toBeNull();
    await act(async () => {
      expect(await drawn!.submit({ rating: 8 })).toBe("stored");
      drawn!.done();
    });
    expect(container.textContent).toBe("");
    expect(await storedFor(service, person)).toMatchObject([{ rating: 8 }]);
  });

  it("without a slug it is any survey; with another one's slug the widget draws", async () => {
    const any = aClient(service.url);
    const { container, unmount } = await open(any.client);
    expect(container.textContent).toBe("How did it go?");
    await unmount();
    any.client.destroy();
    const other = aClient(service.url);
    await open(other.client, "another");
    expect([drawn, !!document.querySelector("afterword-view")]).toEqual([undefined, true]);
  });

  it("works with a headless client, too", async () => {
    const client = createHeadlessAfterword({ key: publishableKey, baseUrl: service.url });
    const { container } = await open(client, "when-asked");
    expect(container.textContent).toBe("How did it go?");
    await act(async () => client.destroy());
  });

  it("a client that cannot let the page draw is an error that says what to do", async () => {
    const { getSurvey, subscribe, claim, ...widget } = createAfterword({
      key: "aw_pk_x",
      baseUrl: service.url,
    });
    const error = await errorOf(
      <AfterwordProvider client={widget}>
        <Survey />
      </AfterwordProvider>,
    );
    expect(error).toMatchObject({ message: expect.stringContaining("a headless client") as string });
    expect([getSurvey(), subscribe(() => {}), claim()]).toHaveLength(3);
    widget.destroy();
  });
});
