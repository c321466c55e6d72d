import { type ForwardedRef, type RefObject, useImperativeHandle, useRef } from "react";

/** A ref to an element of ours, which the component forwards. */
export function useElement<Tag extends HTMLElement>(forwarded: ForwardedRef<Tag>): RefObject<Tag> {
  const element = useRef<Tag>(null) as RefObject<Tag>;
  useImperativeHandle(forwarded, () => element.current);
  return element;
}
