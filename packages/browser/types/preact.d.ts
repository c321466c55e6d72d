import type { HTMLAttributes } from "preact";

interface SurveyAttributes {
  "slug": string;
  "survey-id"?: string;
  "token"?: string;
  "session-id"?: string;
  "observation-id"?: string;
  "task-type"?: string;
}

interface ThumbsAttributes {
  /** Not needed with `tokens`. */
  "survey-id"?: string;
  "session-id": string;
  "observation-id"?: string;
  "task-type"?: string;
  "token"?: string;
  "value"?: "up" | "down";
  "getToken"?: () => string | Promise<string>;
  "tokens"?: Record<string, string>;
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      /** Shows the survey with this slug inside it, about one run if it has a token. */
      "afterword-survey": HTMLAttributes<HTMLElement> & SurveyAttributes;
      /** Two thumbs that rate one run. */
      "afterword-thumbs": HTMLAttributes<HTMLElement> & ThumbsAttributes;
    }
  }
}
