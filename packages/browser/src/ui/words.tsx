/** @jsxImportSource preact */
import type { JSX } from "preact";

/**
 * Text that may change, in an element of its own. A translator such as Chrome's replaces text nodes, so other text gets a
 * new element instead of writing into a node that has left the page.
 */
export function Words({ text, part }: { text: string; part?: string }): JSX.Element {
  return (
    <span key={text} part={part}>
      {text}
    </span>
  );
}
