import { createHeadlessAfterword, type HeadlessSurvey } from "@afterword/browser/headless";

// What a page of a customer does, for the driver beside it: it shows one survey, and a person answers or closes it.

export interface PageTask {
  respondentId?: string;
  sessionId?: string;
  surveyId: string;
  rating: number;
  text?: string;
  token?: string;
  traits?: Record<string, string | number | null>;
  language?: string;
  dismiss?: true;
}

export interface PageOutcome {
  result: string;
  question?: string;
  followUpQuestion?: string;
}

/** How long a survey may take to show: longer than a slow reply and a second attempt. */
const patienceInMs = 6_000;

declare global {
  interface Window {
    play: typeof play;
  }
}

async function play(task: PageTask, key: string, baseUrl: string): Promise<PageOutcome> {
  const { respondentId, surveyId, token, sessionId = "", language } = task;
  const afterword = createHeadlessAfterword({ key, baseUrl, language, consent: "granted" });
  afterword.task();
  if (respondentId !== undefined) afterword.identify(respondentId, task.traits);
  if (token) afterword.install({ surveyId, token, sessionId });
  const shown = new Promise<HeadlessSurvey | undefined>((resolve) => {
    afterword.subscribe(() => afterword.getSurvey() && resolve(afterword.getSurvey()));
    afterword.on("notShown", () => resolve(undefined));
    setTimeout(() => resolve(undefined), patienceInMs);
  });
  afterword.resolve();
  afterword.ask(surveyId);
  const survey = await shown;
  if (!survey) return { result: "nothing" };
  const { rating, text } = task;
  const { question, followUpQuestion } = survey.words(rating);
  if (task.dismiss) {
    survey.dismiss();
    return { result: "dismissed", question };
  }
  const result = await new Promise<string>((resolve) => {
    const first = survey.submit({ rating, text }, resolve);
    void first.then((outcome) => outcome !== "queued" && resolve(outcome));
  });
  return { result, question, followUpQuestion };
}

window.play = play;
