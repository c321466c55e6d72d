import { readAskLink } from "@afterword/protocol/ask-link";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AskLink, BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { createParts } from "../core/create-parts.ts";
import type { Respondent } from "../core/identity.ts";
import type { Loaders } from "../core/loaders.ts";
import type { AfterwordOptions } from "../core/options.ts";
import { Outbox } from "../core/outbox.ts";
import { outgoing, responses } from "../core/outgoing.ts";
import type { Post, Reply } from "../core/request.ts";
import type { SubmitResult, SurveyDraft } from "../core/survey-view.ts";
import type { Page } from "../ui/top-layer.ts";
import { showSurvey } from "../ui/index.ts";
import { type AskTexts, askTextsFor } from "./ask-texts.ts";

const load = { explain: () => import("../core/explain.ts") } as Loaders;

/** The token tells the service who was asked; the page says nothing about the person who opened it. */
const unknown = {} as Respondent;

/** An in-memory outbox, and its last reply, which has the service's reason for a refusal. */
function createSending(page: Page, options: AfterwordOptions) {
  const parts = createParts(page, options, load, () => false);
  let last: Reply | undefined;
  const outbox = new Outbox({ ...parts, post: async (...given) => (last = await parts.post(...given)) });
  page.addEventListener("pagehide", () => outbox.leave());
  return { parts, outbox, lastReply: () => last };
}

/** The text that tells the person why the answer was not stored; `undefined` if it was or still may be. */
function refusalOf(result: SubmitResult, reply: Reply | undefined, texts: AskTexts): string | undefined {
  // The person's own answer, whose first reply was lost.
  const isSame = (reply?.body?.["existing"] as { isSame?: boolean } | undefined)?.isSame;
  if (reply?.status === 409 && !isSame) return texts.spent;
  if (result !== "refused") return undefined;
  return reply?.body?.["code"] === "token_expired" ? texts.expired : texts.invalid;
}

/** Fills the page around the survey: a heading, one sentence, and a button that shows the survey. */
function openFrame({ document, navigator }: Page, link: AskLink | undefined, show: () => void) {
  const language = link?.language || navigator.language;
  const [texts, lang] = askTextsFor(language);
  const root = document.documentElement;
  Object.assign(root, { lang, dir: /^(ar|he)$/.test(lang) ? "rtl" : "ltr" });
  Object.assign(root.dataset, { theme: link?.theme });
  document.title = document.querySelector("h1")!.textContent = link?.name ?? texts.title;
  const button = document.querySelector("button")!;
  Object.assign(button, { textContent: texts.show, onclick: show });
  return {
    texts,
    language,
    slot: document.querySelector<HTMLElement>("#survey")!,
    say(text: string, mayShow = false) {
      document.querySelector("[role=status]")!.textContent = text;
      button.hidden = !mayShow;
    },
  };
}

/** Fetches the link's survey; `undefined` if the service has none with its id, `null` if it was not reached. */
async function surveyOf(post: Post, surveyId: string) {
  const { surveys } = ((await post("/v1/sdk/bootstrap", {})).body ?? {}) as Partial<BootstrapReply>;
  if (!Array.isArray(surveys)) return null;
  return surveys.find((one: SurveyDefinition | null) => one?.id === surveyId && isDrawable(one));
}

/**
 * Opens a link's survey for its run. Only Send stores anything, not opening, closing or leaving, so that neither a link
 * scanner nor a glance spends the token (decision O115).
 */
export async function openAskPage(page: Page, options: AfterwordOptions): Promise<void> {
  const link = readAskLink(page.location.hash);
  const frame = openFrame(page, link, () => void show());
  const { texts, say, slot, language } = frame;
  const { parts, outbox, lastReply } = createSending(page, options);
  let draft: SurveyDraft = {};

  async function show() {
    say("");
    const survey = link && (await surveyOf(parts.post, link.surveyId));
    if (!link) return say(texts.invalid);
    if (survey === null) return say(texts.offline, true);
    if (!survey) return say(texts.expired);
    let isSent = false;
    const settle = (result: SubmitResult) => {
      const refusal = refusalOf(result, lastReply(), texts);
      if (!refusal) return;
      view.close("host");
      say(refusal);
    };
    const view = showSurvey({
      survey,
      place: { presentation: "inline", corner: "bottom-right", banner: "top", slot },
      language,
      openedByPerson: false,
      draft,
      saveDraft: (now) => void (draft = { ...draft, ...now }),
      rated: () => {},
      async submit(answer, settled) {
        isSent = true;
        const entry = outgoing(responses, survey.id, unknown, link, true, answer);
        const hear = (late: SubmitResult) => (settled?.(late), settle(late));
        const result = await outbox.add(entry, { settled: hear });
        settle(result);
        return result;
      },
      dismiss: () => {},
      shown: () => {},
      closed: () => isSent || say(texts.closed, true),
      workWith: parts.workWith,
      reportError: parts.report,
    });
  }

  // Another link to the same page changes only the fragment.
  page.addEventListener("hashchange", () => page.location.reload());
  await show();
}
