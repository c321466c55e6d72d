import type { HTMLAttributes } from "preact";

interface ThumbsAttributes {
  "survey-id": string;
  "session-id": string;
  "observation-id"?: string;
  "task-type"?: string;
  "token"?: string;
  "value"?: "up" | "down";
  "getToken"?: () => string | Promise<string>;
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      /** Shows the survey with this slug inside it. */
      "afterword-survey": HTMLAttributes<HTMLElement> & { slug: string };
      /** Two thumbs that rate one run. */
      "afterword-thumbs": HTMLAttributes<HTMLElement> & ThumbsAttributes;
    }
  }
}
