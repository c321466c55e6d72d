import type { DefineComponent } from "vue";

declare module "vue" {
  interface GlobalComponents {
    /** Shows the survey with this slug inside it. */
    "afterword-survey": DefineComponent<{ slug: string }>;
  }
}
