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

export type ThumbsProps = Omit<HTMLAttributes<HTMLElement>, "children"> &
  RunProps & {
    /** An earlier vote, shown as fixed. */
    value?: Vote;
  };

/** The height of the buttons with their margins (thumbs.css), so that nothing shifts when they appear. */
const [reservedHeight, reservedForFingers] = [36, "48px"];

/** Two thumbs under an answer, bound to its run: 5 or 1 on a csat survey. Empty without a token. */
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
      // A CSS rule would need a style sheet, which strict policies refuse.
      if (!style?.minHeight && matchMedia("(pointer:coarse)").matches)
        thumbs.style.minHeight = reservedForFingers;
      // React 18 sets only attributes.
      Object.assign(thumbs, { getToken, tokens });
    });
    return createElement("afterword-thumbs", {
      ...attributes,
      "ref": element,
      // React 18 has no `className` for custom elements.
      "class": className,
      // Baseline alignment would move it once it has a baseline.
      "style": { display: "inline-block", verticalAlign: "middle", minHeight: reservedHeight, ...style },
      "survey-id": rated?.surveyId,
      "session-id": rated?.sessionId,
      "observation-id": rated?.observationId,
      "task-type": rated?.taskType,
      "token": token,
      value,
    });
  });
