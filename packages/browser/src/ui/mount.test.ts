import type { SurveyDefinition } from "@afterword/protocol";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { SubmitResult, SurveyViewOptions } from "../core/public/survey.ts";
import { showSurvey } from "./mount.ts";

const survey: SurveyDefinition = {
  id: "one",
  slug: "one",
  type: "csat",
  question: "How was it?",
  followUpQuestion: "Why?",
  presentation: "inline",
  trigger: "auto",
};

/** A view in a slot of its own, with what it was asked to report. */
function show(rest: Partial<SurveyViewOptions> = {}) {
  const slot = document.body.appendChild(document.createElement("div"));
  const reports: unknown[][] = [];
  const report =
    (name: string) =>
    (...details: unknown[]) =>
      void reports.push([name, ...details]);
  let settle: (result: SubmitResult) => void = () => undefined;
  let settleLater = settle;
  const view = showSurvey(
    {
      survey,
      ratings: [1, 2, 3, 4, 5],
      slot,
      language: "en",
      openedByPerson: false,
      draft: {},
      saveDraft: report("saveDraft"),
      shown: () => {},
      rate: report("rated"),
      submit: (answer, settled) => {
        report("submit")(answer);
        settleLater = settled!;
        return new Promise((resolve) => (settle = resolve));
      },
      dismiss: report("dismiss"),
      leave: report("leave"),
      closed: report("closed"),
      reportError: report("error"),
      ...rest,
    },
    window,
  );
  const root = () => slot.firstElementChild!.shadowRoot!;
  const find = <Found extends HTMLElement>(selector: string) => root().querySelector<Found>(selector)!;
  return {
    view,
    slot,
    reports,
    root,
    find,
    settle: (result: SubmitResult) => settle(result),
    settleLater: (result: SubmitResult) => settleLater(result),
  };
}

const names = (reports: unknown[][]) => reports.map(([name]) => name);

afterEach(() => document.body.replaceChildren());

describe("a view reports", () => {
  it("each rating, what is begun, the answer and its end, in this order", async () => {
    const { find, reports, settle, slot } = show();
    find("[value='2']").click();
    find("[value='4']").click();
    find<HTMLTextAreaElement>("textarea").value = "quick";
    find("textarea").dispatchEvent(new Event("input", { bubbles: true }));
    find("[part=send]").click();
    settle("stored");
    await vi.waitFor(() => expect(find("[role=status]").textContent).toBe("Thank you for your feedback."));
    find("[part=close]").click();
    expect(reports).toEqual([
      ["rated", 2],
      ["saveDraft", { rating: 2 }],
      ["rated", 4],
      ["saveDraft", { rating: 4 }],
      ["saveDraft", { rating: 4, text: "quick" }],
      ["submit", { rating: 4, text: "quick" }],
      ["closed"],
    ]);
    expect(slot.childNodes).toHaveLength(0);
  });

  it("closing by the person once, and its end once, however it is closed afterwards", () => {
    const { find, reports, view } = show();
    find("[part=close]").click();
    view.close();
    view.close();
    expect(reports).toEqual([["dismiss"], ["closed"]]);
  });

  it("closing by the page without sending anything", () => {
    const { find, reports, view, slot } = show();
    find("[value='2']").click();
    view.close();
    expect(names(reports)).toEqual(["rated", "saveDraft", "closed"]);
    expect(slot.childNodes).toHaveLength(0);
  });

  it("nothing at the first press that would lose a text, and says so", () => {
    const { find, reports } = show({ draft: { rating: 2, text: "half a thou" } });
    find("[part=close]").click();
    expect(reports).toEqual([]);
    expect(find("[role=status]").textContent).toContain("Press again");
    find("[part=close]").click();
    expect(reports).toEqual([["dismiss"], ["closed"]]);
  });

  it("a draft without the warning, which is not the person's", () => {
    const { find, reports } = show({ draft: { rating: 2, text: "half a thou" } });
    find("[part=close]").click();
    find("[value='4']").click();
    expect(reports.at(-1)).toEqual(["saveDraft", { rating: 4, text: "half a thou" }]);
    expect(find("[role=status]").textContent).toBe("");
  });

  it("nothing for skip but the rating", () => {
    const { find, reports } = show({ draft: { rating: 1, text: "regretted", followUpRequested: true } });
    find("[part=skip]").click();
    expect(reports).toEqual([["submit", { rating: 1 }]]);
  });
});

describe("the count of characters", () => {
  it("describes the field and is no part of its name", () => {
    const { find } = show({ draft: { rating: 5, text: "quick" } });
    expect(find("textarea").getAttribute("aria-describedby")).toBe("count");
    expect(find("#count").getAttribute("aria-hidden")).toBe("true");
  });

  it("is there once fewer than 500 characters are left", () => {
    const count = (text: string) => show({ draft: { rating: 5, text } }).find("#count").textContent;
    expect(count("quick")).toBe("");
    expect(count("x".repeat(9_500))).toBe("");
    expect(count("x".repeat(9_501))).toBe("9501 / 10000");
  });
});

it("the chosen rating is a part of its own", () => {
  const { find, root } = show();
  const chosen = () =>
    [...root().querySelectorAll("[part~=chosen] input")].map((one) => one.getAttribute("value"));
  expect(chosen()).toEqual([]);
  find("[value='2']").click();
  expect(chosen()).toEqual(["2"]);
  find("[value='4']").click();
  expect(chosen()).toEqual(["4"]);
});

describe("a view starts", () => {
  it("from what was left unfinished before a reload", () => {
    const { find, reports } = show({ draft: { rating: 2, text: "half a", followUpRequested: true } });
    expect(find<HTMLInputElement>("[value='2']").checked).toBe(true);
    expect(find<HTMLTextAreaElement>("textarea").value).toBe("half a");
    expect(find<HTMLInputElement>("[type=checkbox]").checked).toBe(true);
    expect(reports).toEqual([]);
  });

  it("in the language it is given, else in that of the page, else of the browser", async () => {
    const german = show({ language: "de-AT" });
    await vi.waitFor(() =>
      expect(
        german.find("[part=close]").ariaLabel ?? german.find("[part=close]").getAttribute("aria-label"),
      ).toBe("Schließen"),
    );
    document.documentElement.lang = "fr";
    const french = show({ language: undefined });
    await vi.waitFor(() => expect(french.find("[part=close]").getAttribute("aria-label")).toBe("Fermer"));
    document.documentElement.lang = "";
    expect(show({ language: undefined }).find("[part=close]").getAttribute("aria-label")).toBe("Close");
  });

  it("with own words where the host page has them, and the language's for the others", () => {
    const { find } = show({ texts: { close: "Not now" }, draft: { rating: 3 } });
    expect(find("[part=close]").getAttribute("aria-label")).toBe("Not now");
    expect(find("[part=send]").textContent).toBe("Send");
  });

  it("not at all when it was closed before its words arrived", async () => {
    const { view, reports, slot } = show({ language: "ja" });
    view.close();
    await import("../texts/translated/ja.json");
    await Promise.resolve();
    expect(reports).toEqual([["closed"]]);
    expect(slot.childNodes).toHaveLength(0);
  });
});

it.each([
  ["stored", "Thank you for your feedback."],
  ["already", "You have already answered this."],
  ["refused", "Sorry, your answer could not be sent."],
] as const)("an answer that was not sent yet turns into what became of it: %s", async (result, said) => {
  const { find, settle, settleLater } = show({ draft: { rating: 2 } });
  find("[part=send]").click();
  settle("queued");
  await vi.waitFor(() => expect(find("[role=status]").textContent).toContain("has not been sent yet"));
  settleLater(result);
  expect(find("[role=status]").textContent).toBe(said);
});

it("thanks stay five seconds, which do not pass while the person looks at another tab", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const hidden = vi.spyOn(document, "hidden", "get");
  onTestFinished(() => hidden.mockRestore());
  const turn = (isHidden: boolean) => {
    hidden.mockReturnValue(isHidden);
    document.dispatchEvent(new Event("visibilitychange"));
  };
  const { view, settle, reports } = show({ draft: { rating: 2 }, slot: undefined });
  turn(true);
  view.send!();
  settle("stored");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reports).toEqual([["submit", { rating: 2 }]]);
  turn(false);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(reports).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(reports.at(-1)).toEqual(["closed"]);
});

describe("a view ends with its slot", () => {
  const gone = () => new Promise((resolve) => setTimeout(resolve));

  it("that the page takes away", async () => {
    const { slot, reports } = show();
    slot.remove();
    await gone();
    expect(reports).toEqual([["leave"], ["closed"]]);
  });

  it("that is taken away inside a shadow root, or with the element around it", async () => {
    for (const take of ["slot", "host"] as const) {
      const host = document.body.appendChild(document.createElement("div"));
      const slot = host.attachShadow({ mode: "closed" }).appendChild(document.createElement("div"));
      const { reports } = show({ slot });
      expect(slot.childNodes).toHaveLength(1);
      (take === "slot" ? slot : host).remove();
      await gone();
      expect(reports, take).toEqual([["leave"], ["closed"]]);
    }
  });
});

describe("keys", () => {
  it("that an input method takes do not close the survey: Safari sends them after the composition, as key 229", () => {
    const { find, reports } = show({ draft: { rating: 2 } });
    const press = (keyCode: number) =>
      find("textarea").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", keyCode, bubbles: true }));
    press(229);
    expect(reports).toEqual([]);
    press(27);
    expect(reports).toEqual([["dismiss"], ["closed"]]);
  });
});

describe("an error", () => {
  const failing = () => {
    throw new Error("broken");
  };

  it.each(["rate", "saveDraft"] as const)("in %s is reported and stays out of the page", (name) => {
    const { find, reports } = show({ [name]: failing });
    expect(() => find("[value='2']").click()).not.toThrow();
    expect(names(reports)).toContain("error");
    expect(find<HTMLInputElement>("[value='2']").checked).toBe(true);
  });

  it("while drawing ends the ask", () => {
    const closed = vi.fn<() => void>();
    const reportError = vi.fn<(error: unknown) => void>();
    const options = {
      survey,
      slot: document.body,
      language: "en",
      draft: {},
      words: () => expect.unreachable("a service may name none"),
      closed,
      reportError,
    };
    showSurvey(options as unknown as SurveyViewOptions, window);
    expect(reportError).toHaveBeenCalledOnce();
    expect(closed).toHaveBeenCalledOnce();
    expect(document.body.childNodes).toHaveLength(0);
  });
});

describe("a survey with words for each rating", () => {
  const words: SurveyViewOptions["words"] = (rating) => ({
    question: "Wie war es?",
    endLabels: { low: "schlecht" },
    followUpQuestion: rating === 5 ? undefined : rating === 3 ? "Was fehlte?" : "Was ging schief?",
    suggestions: rating === 1 ? ["Falsch", "Zu langsam"] : [],
  });

  function showWords() {
    const shown = show({ words });
    const rate = (rating: number) => shown.find<HTMLInputElement>(`[value="${rating}"]`).click();
    const reasons = () => [...shown.root().querySelectorAll<HTMLButtonElement>('[part="reason"]')];
    return { ...shown, rate, reasons, field: () => shown.find<HTMLTextAreaElement>("textarea") };
  }

  it("asks in those of the person's language", () => {
    const { find } = showWords();
    expect(find("legend").textContent).toBe("Wie war es?");
    expect(find('[part="labels"]').textContent).toContain("schlecht");
  });

  it("asks the follow-up question that fits the rating, and none where there is none", () => {
    const { rate, root, find } = showWords();
    const question = () => root().querySelector(".text [part=question]")?.textContent;
    rate(1);
    expect(question()).toBe("Was ging schief?");
    rate(3);
    expect(question()).toBe("Was fehlte?");
    rate(5);
    expect(find<HTMLElement>(".text").hidden).toBe(true);
  });

  it("offers reasons that write themselves into the text, each once: what is sent is what the person sees", async () => {
    const { rate, reasons, field, find, reports } = showWords();
    rate(1);
    expect(reasons().map(({ textContent }) => textContent)).toEqual(["Falsch", "Zu langsam"]);
    reasons()[1]!.click();
    expect(field().value).toBe("Zu langsam");
    reasons()[0]!.click();
    reasons()[1]!.click();
    expect(field().value).toBe("Zu langsam, Falsch");
    find("[part=send]").click();
    expect(reports.findLast(([name]) => name === "submit")).toEqual([
      "submit",
      { rating: 1, text: "Zu langsam, Falsch", followUpRequested: undefined },
    ]);
  });

  it("offers none after a rating that has none", () => {
    const { rate, reasons } = showWords();
    rate(3);
    expect(reasons()).toEqual([]);
  });
});

describe("a page that a translator rewrites", () => {
  const words: SurveyViewOptions["words"] = (rating) => ({
    question: "How was it?",
    endLabels: {},
    ...(rating !== 5 && {
      followUpQuestion: rating === 3 ? "What was missing?" : "What went wrong?",
    }),
    suggestions: rating === 1 ? ["Wrong", "Too slow"] : rating === 2 ? ["Too slow", "Rude"] : [],
  });

  /** Puts each text into an element of its own in place of its text node, as Chrome does. */
  function translate(root: ShadowRoot) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Node[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      if (text.parentElement!.matches("font")) continue;
      const outer = document.createElement("font");
      outer.appendChild(document.createElement("font")).textContent = `«${text.textContent}»`;
      (text as ChildNode).replaceWith(outer);
    }
  }

  it("is drawn on without an error, and never shows an old text", async () => {
    const { find, root, reports, settle } = show({ words });
    const rate = (rating: number) => {
      translate(root());
      find(`[value="${rating}"]`).click();
    };
    for (const rating of [1, 2, 1, 5, 3, 2]) rate(rating);
    expect(find(".text [part=question]").textContent).toBe("What went wrong?");
    expect([...root().querySelectorAll("[part=reason]")].map(({ textContent }) => textContent)).toEqual([
      "Too slow",
      "Rude",
    ]);
    translate(root());
    find("[part=send]").click();
    translate(root());
    settle("stored");
    await vi.waitFor(() => expect(find("[role=status]").textContent).toBe("Thank you for your feedback."));
    expect(names(reports)).not.toContain("error");
  });

  it("keeps translation and focus of a reason that is pressed, and stores the reason itself", () => {
    const { find, root, reports } = show({ words });
    find("[value='1']").click();
    translate(root());
    const reason = find("[part=reason]");
    reason.focus();
    reason.click();
    expect(root().activeElement).toBe(reason);
    expect(reason.textContent).toBe("«Wrong»");
    expect(find<HTMLTextAreaElement>("textarea").value).toBe("Wrong");
    find("[part=send]").click();
    expect(reports.at(-1)).toEqual(["submit", { rating: 1, text: "Wrong", followUpRequested: undefined }]);
  });
});
