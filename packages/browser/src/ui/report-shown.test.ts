import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SurveyViewOptions } from "../core/public/survey.ts";
import { showSurvey } from "./mount.ts";

type Service = NonNullable<SurveyViewOptions["service"]>;

const survey = {
  id: "one",
  slug: "one",
  type: "csat",
  question: "How was it?",
  presentation: "inline",
  trigger: "auto",
} as const;

/** happy-dom has no layout, so the test says how much of the view is visible. */
let see: (share: number) => void;
let isHidden: boolean;
let tokens = 0;

beforeEach(() => {
  vi.useFakeTimers();
  isHidden = false;
  vi.spyOn(document, "hidden", "get").mockImplementation(() => isHidden);
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(onChange: (entries: { intersectionRatio: number }[]) => void) {
        see = (intersectionRatio) => onChange([{ intersectionRatio }]);
      }
      observe() {}
      disconnect() {
        see = () => undefined;
      }
    },
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  document.body.replaceChildren();
});

const newToken = () => `token-${++tokens}`;

/** A view in a slot of its own, and what it has sent. */
function show(unbound: string, rest: Partial<Service> = {}) {
  const post = vi.fn<Service["post"]>(async () => ({ status: 202 }));
  const slot = document.body.appendChild(document.createElement("div"));
  const view = showSurvey(
    {
      survey,
      ratings: [1, 2, 3, 4, 5],
      slot,
      language: "en",
      openedByPerson: false,
      draft: {},
      saveDraft() {},
      shown() {},
      rate() {},
      submit: async () => "stored",
      dismiss() {},
      leave() {},
      closed() {},
      reportError(error) {
        throw error;
      },
      service: {
        definitions: { reports: ["shown"], showTokens: { one: unbound } },
        tokenNow: () => undefined,
        post,
        ...rest,
      },
    },
    window,
  );
  return { view, post, reported: () => post.mock.calls.map(([, body]) => body) };
}

it("is reported once, with keepalive, when at least half was visible for a second", () => {
  const showToken = newToken();
  const { post } = show(showToken);
  see(0.49);
  vi.advanceTimersByTime(5000);
  see(0.5);
  vi.advanceTimersByTime(999);
  expect(post).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  see(0);
  see(1);
  vi.advanceTimersByTime(5000);
  expect(post.mock.calls).toEqual([["/v1/shown", { showToken }, true]]);
});

it("begins its second anew when less than half is visible, and pauses it while the page is hidden", () => {
  const { post } = show(newToken());
  for (const share of [0.6, 0.4, 0.9]) {
    see(share);
    vi.advanceTimersByTime(900);
  }
  const turn = (hidden: boolean) => {
    isHidden = hidden;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  turn(true);
  vi.advanceTimersByTime(5000);
  expect(post).not.toHaveBeenCalled();
  turn(false);
  vi.advanceTimersByTime(100);
  expect(post).toHaveBeenCalledOnce();
});

it("is reported for each token once, however often the survey opens", () => {
  const [first, second] = [newToken(), newToken()];
  const reported = [first, first, second].map((token) => {
    const opened = show(token);
    see(1);
    vi.advanceTimersByTime(1000);
    opened.view.close();
    return opened.reported();
  });
  expect(reported).toEqual([[{ showToken: first }], [], [{ showToken: second }]]);
});

it("goes to the token of the run, also when that comes late or was used within the second", () => {
  const runs = [newToken(), newToken()].map((token) => ({ token }));
  let installed: { token: string } | undefined = runs[0];
  const used = show(newToken(), { tokenNow: () => installed });
  installed = undefined;
  see(1);
  vi.advanceTimersByTime(1000);
  const late = show(newToken(), { tokenNow: () => installed });
  installed = runs[1];
  see(1);
  vi.advanceTimersByTime(1000);
  expect([used.reported(), late.reported()]).toEqual(runs.map(({ token }) => [{ showToken: token }]));
});

it.each([{}, { reports: ["clicked"] }, { reports: true as never }])(
  "is not reported to a service that answers %j",
  (definitions) => {
    const observed = vi.spyOn(window, "IntersectionObserver");
    show(newToken(), { definitions });
    expect(observed).not.toHaveBeenCalled();
  },
);

it("is not reported when the survey is gone before its second is over", () => {
  const { view, post } = show(newToken());
  see(1);
  vi.advanceTimersByTime(900);
  view.close();
  vi.advanceTimersByTime(5000);
  expect(post).not.toHaveBeenCalled();
});
