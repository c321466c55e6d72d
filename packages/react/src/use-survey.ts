import type { HeadlessSurvey } from "@afterword/browser";
import { useEffect, useSyncExternalStore } from "react";
import { useProvided } from "./afterword-provider.ts";
import { fault } from "./fault.ts";

/**
 * Returns the open survey with this slug, or without a slug any open survey, for a component to draw; the widget does
 * not draw it while the component is mounted. Unmounting sends a chosen rating; otherwise the survey may come again.
 * @example
 * const Question = () => <p>{useSurvey("satisfaction")?.survey.question}</p>;
 */
export function useSurvey(slug?: string): HeadlessSurvey | undefined {
  const { subscribe, getSurvey, claim } = useProvided("useSurvey()").client;
  if (!subscribe || !getSurvey || !claim)
    throw fault("useSurvey() needs an <AfterwordProvider> with options or a headless client");
  useEffect(() => claim(slug), [claim, slug]);
  return useSyncExternalStore(
    subscribe,
    () => getSurvey(slug),
    () => undefined,
  );
}
