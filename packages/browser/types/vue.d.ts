import type { DefineComponent } from "vue";

declare module "vue" {
  interface GlobalComponents {
    /** Shows the survey with this slug inside it, about one run if it has a token. */
    "afterword-survey": DefineComponent<{
      slug: string;
      surveyId?: string;
      token?: string;
      sessionId?: string;
      observationId?: string;
      taskType?: string;
    }>;
    /** Two thumbs that rate one run. */
    "afterword-thumbs": DefineComponent<{
      /** Not needed with `tokens`. */
      surveyId?: string;
      sessionId: string;
      observationId?: string;
      taskType?: string;
      token?: string;
      value?: "up" | "down";
      getToken?: () => string | Promise<string>;
      tokens?: Record<string, string>;
    }>;
  }
}
