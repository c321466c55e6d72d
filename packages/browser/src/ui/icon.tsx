/** @jsxImportSource preact */
import type { JSX } from "preact";

/** An icon on a grid of 24 units, in the colour of the surrounding text; `over` is drawn above the first path. */
export function Icon({ path, over }: { path: string; over?: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
      {over && <path d={over} />}
    </svg>
  );
}
