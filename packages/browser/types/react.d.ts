import type { DetailedHTMLProps, HTMLAttributes } from "react";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      /** Shows the survey with this slug inside it. */
      "afterword-survey": DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & { slug: string };
    }
  }
}
