import type { RatedRun, RunWithTokens } from "@afterword/browser";
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type HTMLAttributes,
  type RefAttributes,
  useEffect,
  useState,
} from "react";
import { type ReactClient, useProvided } from "./afterword-provider.ts";
import { fault } from "./fault.ts";
import { type RunProps, splitRun } from "./split-run.ts";
import { useElement } from "./use-element.ts";

/** The survey to show inside the element, and attributes of the element. */
export type InlineSurveyProps = Omit<HTMLAttributes<HTMLDivElement>, "children"> & {
  slug: string;
} & (RunProps | Partial<Record<"run" | keyof RatedRun, undefined>>);

/** Height of a card on a phone in pixels, so that nothing shifts when it appears: csat 149, ces and nps 139. */
const reservedHeight = 149;

/** Asks for a survey inside the slot, with its token if it has a run. Returns a function that cancels it. */
function askInside(
  client: ReactClient,
  slug: string,
  slot: HTMLElement,
  rated?: RatedRun | RunWithTokens,
): () => void {
  let isOver = false;
  async function ask() {
    // StrictMode mounts twice, but one token is enough.
    await undefined;
    if (isOver) return;
    const { getToken, ...run }: Partial<RatedRun> = rated ?? {};
    run.token ??= await getToken?.();
    if (!isOver) client.ask(slug, { slot, ...run });
  }
  ask().catch((error) => console.error(fault(`no token for <InlineSurvey>: ${error}`)));
  return () => {
    isOver = true;
    // An open survey ends as if the page were left: a chosen rating is sent.
    slot.querySelector("afterword-view")?.remove();
  };
}

/**
 * Shows the survey with this slug in place as soon as it is eligible, linked to its run if it has one. Reserves its
 * space until it is answered or closed, or it is known that this survey is not shown.
 * @example
 * const Report = ({ run }: { run?: HandedOverRun }) => <InlineSurvey slug="satisfaction" run={run} />;
 */
export const InlineSurvey: ForwardRefExoticComponent<InlineSurveyProps & RefAttributes<HTMLDivElement>> =
  forwardRef(function InlineSurvey(props: InlineSurveyProps, ref) {
    const { client } = useProvided("<InlineSurvey>");
    const [rated, { slug, style, ...attributes }] = splitRun(props);
    const isUnlinked = !rated && "run" in props;
    const [isOver, setOver] = useState(false);
    const element = useElement<HTMLDivElement>(ref);
    useEffect(() => {
      if (isUnlinked) return;
      const end = (event: { slug: string; sessionId?: string }) => {
        if (event.slug === slug && event.sessionId === rated?.sessionId) setOver(true);
      };
      const stops = [
        client.on("notShown", (event) => {
          // With these two reasons, it comes later.
          if (event.slot === element.current && !/busy|task/.test(event.reason)) setOver(true);
        }),
        // Thanks need less space.
        client.on("submitted", end),
        client.on("closed", end),
      ];
      const callOff = askInside(client, slug, element.current, rated);
      return () => {
        for (const stop of stops) stop();
        callOff();
        setOver(false);
      };
      // As JSON, because the run may be a new object at each render.
    }, [client, slug, isUnlinked, JSON.stringify(rated)]);
    const needsSpace = !isOver && !(isUnlinked && props.run);
    const height = needsSpace ? { minHeight: reservedHeight, ...style } : { ...style, minHeight: undefined };
    return createElement("div", { ...attributes, style: height, ref: element });
  });
