import * as z from "zod";
import { storableText } from "./strings.ts";

/** Free-form facts about a respondent, for targeting and segmentation. */
export type Traits = Record<string, unknown>;

/** The bounds of traits: hostile ones must cost nothing. */
export const traitLimits = { bytes: 32 * 1024, depth: 8, keys: 100 } as const;

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Stops at the limit: a hostile body may be nested a hundred thousand levels deep. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (!isNested(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** A copy that is safe to store: bad characters replaced, prototype keys dropped. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isNested(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !forbiddenKeys.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [storableText(key), storable(inner)]));
}

function traitsFault(value: object): string | undefined {
  if (Object.keys(value).length > traitLimits.keys) return `has more than ${traitLimits.keys} keys`;
  if (isDeeperThan(value, traitLimits.depth)) return `is nested more than ${traitLimits.depth} levels`;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > traitLimits.bytes ? `is larger than ${traitLimits.bytes} bytes` : undefined;
}

export const traits = z
  .custom<Traits>((value) => isNested(value) && !Array.isArray(value), "is not an object")
  .superRefine((value, context) => {
    const fault = traitsFault(value);
    if (fault) context.addIssue({ code: "custom", message: fault });
  })
  .transform((value) => storable(value) as Traits)
  .meta({ type: "object", additionalProperties: true });
