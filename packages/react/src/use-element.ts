import { type ForwardedRef, type RefObject, useImperativeHandle, useRef } from "react";

/** A ref to a component's own element, also forwarded to its user. */
export function useElement<Tag extends HTMLElement>(forwarded: ForwardedRef<Tag>): RefObject<Tag> {
  const element = useRef<Tag>(null) as RefObject<Tag>;
  useImperativeHandle(forwarded, () => element.current);
  return element;
}
