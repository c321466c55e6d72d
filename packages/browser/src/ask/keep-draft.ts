import type { AskLink } from "@afterword/protocol";
import { parseJson, createStore } from "../core/page/index.ts";
import type { SurveyDraft } from "../core/survey/index.ts";
import type { Page } from "../ui/keep-on-top.ts";

/** Keeps what the person has begun, across reloads of this tab and until it is sent. */
export function keepDraft(page: Page, { surveyId, sessionId, observationId }: AskLink) {
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
