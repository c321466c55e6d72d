import type { HTMLAttributes } from "preact";

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      /** Shows the survey with this slug inside it. */
      "afterword-survey": HTMLAttributes<HTMLElement> & { slug: string };
    }
  }
}
