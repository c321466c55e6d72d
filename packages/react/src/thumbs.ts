import { type AfterwordThumbsElement, defineThumbsElement, type Vote } from "@afterword/browser/thumbs";
import type { RatedRun, RunWithTokens } from "@afterword/browser";
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type HTMLAttributes,
  type RefAttributes,
} from "react";
import { useBrowserLayoutEffect, useProvided } from "./afterword-provider.ts";
import { type RunProps, splitRun } from "./split-run.ts";
import { useElement } from "./use-element.ts";

/** The run to vote on, and attributes of the element. */
export type ThumbsProps = Omit<HTMLAttributes<HTMLElement>, "children"> &
  RunProps & {
    /** An earlier vote, shown as fixed. */
    value?: Vote;
  };

/** Keeps the space of the buttons (thumbs.css) in HTML of a server; once defined, the element keeps its own. */
const reserved = { display: "inline-flex", verticalAlign: "middle", minWidth: 68, minHeight: 32 } as const;

/**
 * Two thumbs under an answer, bound to its run: 5 or 1 on a csat survey. Empty without a token.
 * @example
 * const Answer = ({ run }: { run?: HandedOverRun }) => <Thumbs run={run} surveyId="answer" />;
 */
export const Thumbs: ForwardRefExoticComponent<ThumbsProps & RefAttributes<AfterwordThumbsElement>> =
  forwardRef(function Thumbs(props: ThumbsProps, ref) {
    const { client, options } = useProvided("<Thumbs>");
    const [rated, { value, className, style, ...attributes }] = splitRun(props);
    const { token, getToken, tokens }: Partial<RatedRun & RunWithTokens> = rated ?? {};
    const element = useElement<AfterwordThumbsElement>(ref);
    // Runs before the browser paints.
    useBrowserLayoutEffect(() => {
      defineThumbsElement(client.rate, options);
      const thumbs = element.current;
      for (const name of Object.keys(reserved) as (keyof typeof reserved)[])
        if (style?.[name] === undefined) thumbs.style[name] = "";
      // React 18 sets only attributes.
      Object.assign(thumbs, { getToken, tokens });
    });
    return createElement("afterword-thumbs", {
      ...attributes,
      "ref": element,
      // React 18 has no `className` for custom elements.
      "class": className,
      "style": { ...reserved, ...style },
      "survey-id": rated?.surveyId,
      "session-id": rated?.sessionId,
      "observation-id": rated?.observationId,
      "task-type": rated?.taskType,
      "token": token,
      value,
    });
  });
