import { type AfterwordThumbsElement, defineThumbsElement, type Vote } from "@afterword/browser/thumbs";
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
    /** An earlier vote, which is shown and fixed. */
    value?: Vote;
  };

/** The height of the buttons with their margins (thumbs.css), so that nothing moves when they appear. */
const [reservedHeight, reservedForFingers] = [36, "48px"];

/** Two thumbs under an answer, bound to its run: 5 or 1 on a csat survey. Without a token they stay empty. */
export const Thumbs: ForwardRefExoticComponent<ThumbsProps & RefAttributes<AfterwordThumbsElement>> =
  forwardRef(function Thumbs(props: ThumbsProps, ref) {
    const { client, options } = useProvided("<Thumbs>");
    const [rated, { value, className, style, ...attributes }] = splitRun(props);
    const element = useElement<AfterwordThumbsElement>(ref);
    // Before the browser draws.
    useBrowserLayoutEffect(() => {
      defineThumbsElement(client.rate, options);
      const thumbs = element.current;
      // A rule of CSS would need a style sheet, which strict policies refuse.
      if (!style?.minHeight && matchMedia("(pointer:coarse)").matches)
        thumbs.style.minHeight = reservedForFingers;
      // React 18 sets attributes alone.
      thumbs.getToken = rated?.getToken;
    });
    return createElement("afterword-thumbs", {
      ...attributes,
      "ref": element,
      // In React 18 custom elements take no `className`.
      "class": className,
      // Aligned by its baseline, it would move when it gets one.
      "style": { display: "inline-block", verticalAlign: "middle", minHeight: reservedHeight, ...style },
      "survey-id": rated?.surveyId,
      "session-id": rated?.sessionId,
      "observation-id": rated?.observationId,
      "task-type": rated?.taskType,
      "token": rated?.token,
      value,
    });
  });
