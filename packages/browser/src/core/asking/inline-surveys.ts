import type { BootstrapReply } from "@afterword/protocol";
import type { Reporting, AskOptions, InstalledToken } from "../public/index.ts";
import type { Refuse, SurveyRequest } from "./candidate.ts";

/** The part of the client that it uses. */
interface InlineClient {
  refuse: Refuse;
  /** Shows the survey if this person may be asked. */
  offer(request: SurveyRequest, definitions?: BootstrapReply): unknown;
  schedule(): void;
}

/** Asks for any number of surveys in elements of the page, each about its own run if it has a token. */
export function createInline(client: InlineClient, { report, errorOf }: Reporting) {
  /** Requests that wait for the service, for consent or for the end of a task. */
  let waiting: SurveyRequest[] = [];

  function isForItsSurvey(request: SurveyRequest, definitions?: BootstrapReply): boolean {
    const { slug, tokens } = request;
    const survey = definitions?.surveys.find((one) => one?.slug === slug);
    const token = survey && tokens?.[survey.id];
    if (token) request.run = { ...request.run!, surveyId: survey.id, token };
    const { run } = request;
    if (!run || !survey || run.surveyId === survey.id) return true;
    const given = tokens ? Object.keys(tokens).join('", "') : run.surveyId;
    report(errorOf(`the token is for survey "${given}" and not "${survey.id}"`));
    client.refuse("unlinked", request, survey);
    return false;
  }

  return {
    add(request: SurveyRequest, { slot, openedByPerson, tokens, ...run }: AskOptions) {
      const { surveyId, token, sessionId } = run;
      const texts = tokens ? [sessionId] : [surveyId, token, sessionId];
      const isComplete = texts.every((text) => text && typeof text === "string");
      if (!isComplete && (tokens ?? token ?? sessionId))
        return report(errorOf("slug, surveyId, token and sessionId must be text"));
      // Does not wait for elements that have left the page.
      waiting = waiting.filter((other) => other.slot !== request.slot && other.slot?.isConnected !== false);
      waiting.push({ ...request, tokens, run: isComplete ? (run as InstalledToken) : undefined });
      client.schedule();
    },
    /** Asks for all whose element is still in the page. @param isLater whether they stay for another reply */
    proceed(definitions?: BootstrapReply, isLater?: boolean) {
      for (const request of isLater ? waiting : waiting.splice(0))
        if (request.slot?.isConnected !== false && isForItsSurvey(request, definitions))
          void client.offer(request, definitions);
    },
    drop() {
      for (const request of waiting.splice(0)) client.refuse("superseded", request);
    },
  };
}
