import { readAskLink } from "@afterword/protocol/ask-link";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import { ratingsOf } from "@afterword/protocol/rating-scale";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { AskLink, BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { createContext } from "../core/context/index.ts";
import type { Respondent, AfterwordOptions, SubmitResult, SurveyDraft } from "../core/public/index.ts";
import { createStore, parseJson, withTimeout, type Post, type Reply } from "../core/page/index.ts";
import type { Loaders } from "../core/client/index.ts";
import { Outbox, submissionOf } from "../core/outbox/index.ts";
import type { Page } from "../ui/page.ts";
import { showSurvey } from "../ui/index.ts";
import { openFrame, type AskTexts } from "./ask-frame.tsx";

const load = { debug: () => import("../core/explain/index.ts") } as Loaders;

/** The token names the person to the service; the page says nothing about the person who opened it. */
const unknown = {} as Respondent;

/** An in-memory outbox, and its last reply, which has the service's reason for a refusal. */
function createSending(page: Page, options: AfterwordOptions) {
  const context = createContext(page, options, load, () => false);
  let last: Reply | undefined;
  const outbox = new Outbox({ ...context, post: async (...given) => (last = await context.post(...given)) });
  page.addEventListener("pagehide", () => outbox.leave());
  return { context, outbox, lastReply: () => last };
}

/** Why the answer was not stored, in the words of the page; `undefined` if it was or still may be. */
function refusalOf(result: SubmitResult, reply: Reply | undefined, texts: AskTexts): string | undefined {
  if (result === "stored" || result === "queued") return undefined;
  if (reply?.status === 409) return texts.spent;
  return reply?.body?.["code"] === "token_expired" ? texts.expired : texts.invalid;
}

type Found = Exclude<Awaited<ReturnType<typeof surveyOf>>, string | undefined>;

/** The link's survey, or why it cannot be answered; `undefined` if the service was not reached. */
async function surveyOf(post: Post, { surveyId, token }: AskLink, texts: AskTexts) {
  const [check, { body }] = await Promise.all([
    post("/v1/sdk/tokens/check", { showToken: token }),
    post("/v1/sdk/bootstrap", {}),
  ]);
  if (!check.status || isRetryableStatus(check.status)) return undefined;
  // A service without this check answers something else, and refuses a used token once it is sent.
  const { state, code, surveyId: named } = check.body ?? {};
  if (state === "used") return texts.spent;
  if (state === "expired") return texts.expired;
  if (code === "token_invalid") return texts.invalid;
  const bootstrap = (body ?? {}) as Partial<BootstrapReply>;
  const { surveys } = bootstrap;
  if (!Array.isArray(surveys)) return undefined;
  const survey = surveys.find((one: SurveyDefinition | null) => one?.id === surveyId && isDrawable(one));
  if (!survey) return texts.expired;
  return (named ?? surveyId) === surveyId ? { survey, bootstrap } : texts.invalid;
}

/** Keeps what the person has begun, across reloads of this tab and until it is sent. */
function keepDraft(page: Page, { surveyId, sessionId, observationId }: AskLink) {
  const store = createStore(
    () => page.sessionStorage,
    "afterword:ask:",
    () => true,
  );
  // Not the token: other scripts of the site can read this.
  const name = JSON.stringify([surveyId, sessionId, observationId]);
  const read = () => parseJson<SurveyDraft>(store.read(name)) ?? {};
  return {
    read,
    write: (now: SurveyDraft) => void store.write(name, JSON.stringify({ ...read(), ...now })),
    forget: () => store.forget(name),
  };
}

/**
 * Opens a link's survey for its run. Only Send uses the token, not opening, closing or leaving, so that neither a link
 * scanner nor a glance spends it.
 */
async function openAskPage(page: Page, options: AfterwordOptions): Promise<void> {
  const link = readAskLink(page.location.hash);
  const { texts, language, slot, say } = openFrame(page, link);
  const { context, outbox, lastReply } = createSending(page, options);
  // Another link to the same page changes only the fragment.
  page.addEventListener("hashchange", () => page.location.reload());
  if (!link) return say(texts.invalid);

  const draft = keepDraft(page, link);
  const refuse = (text: string) => say(text, { kept: draft.read().text });

  say(texts.loading, { isLoading: true });
  const found = await withTimeout(page, surveyOf(context.post, link, texts)).catch(() => undefined);
  if (!found) say(texts.offline, { label: texts.tryAgain, action: () => page.location.reload() });
  else if (typeof found === "string") refuse(found);
  else show(link, found);

  function show(link: AskLink, found: Found) {
    const { survey, bootstrap } = found;
    const showAgain = () => (say(""), show(link, found));
    let isClosed = false;
    let sent: SubmitResult | "sending" | undefined;
    const sayEnd = () => say(sent === "sending" || sent === "queued" ? texts.pending : texts.done);
    const settle = (result: SubmitResult) => {
      sent = result;
      const refusal = refusalOf(result, lastReply(), texts);
      if (refusal) {
        view.close();
        return refuse(refusal);
      }
      if (result === "stored") draft.forget();
      if (isClosed) sayEnd();
    };
    const view = showSurvey({
      survey: { ...survey, presentation: "inline" },
      ratings: ratingsOf(survey),
      slot,
      language,
      openedByPerson: false,
      draft: draft.read(),
      saveDraft: draft.write,
      rate: () => {},
      async submit(answer, settled) {
        sent = "sending";
        // The token alone names the run: a mail program may have changed the link's session (decision D12).
        const entry = submissionOf(unknown, { surveyId: survey.id, token: link.token }, true, answer);
        const onRetried = (late: SubmitResult) => (settled?.(late), settle(late));
        const asked = context.askedName(unknown, link);
        const result = await outbox.add({ ...entry, isBound: true }, asked, { settled: onRetried });
        settle(result);
        return result;
      },
      dismiss: () => {},
      leave: () => {},
      shown: () => {},
      service: { definitions: bootstrap, post: context.post, tokenNow: () => link },
      closed() {
        isClosed = true;
        if (sent) sayEnd();
        else say(texts.closed, { label: texts.show, action: showAgain });
      },
      reportError: context.report,
    });
  }
}

// Reads its key and address from its own script tag, never from the link.
const { key = "", baseUrl = "" } = document.querySelector<HTMLElement>("script[data-key]")!.dataset;
void openAskPage(window, { key, baseUrl });
