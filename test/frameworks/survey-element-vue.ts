/// <reference types="@afterword/browser/types/vue" />
import type { GlobalComponents } from "vue";

type Props = InstanceType<GlobalComponents["afterword-survey"]>["$props"];

export const inVue: Props = { slug: "how-did-it-go" };

// @ts-expect-error the element shows the survey that its slug names
export const withoutSlug: Props = {};
