import type { Refuse } from "../asking/index.ts";
import type { AskingParts } from "../parts/index.ts";

/** Emits `notShown`, and in debug mode explains it in the console. */
export function reportRefusal(parts: AskingParts, ...[reason, request, survey]: Parameters<Refuse>): void {
  const slug = survey?.slug ?? request.slug!;
  parts.emit("notShown", { surveyId: survey?.id, slug, slot: request.slot, reason });
  if (parts.options.debug)
    void parts.withDebugFile(({ explain }) => explain(parts, reason, slug, parts.identity.current(), survey));
}
