/** A finished run as a server hands it to its page: all that the page needs to ask about it or to rate it. */
export interface HandedOverRun {
  /** Survey id to single-use show-token. */
  tokens: Record<string, string>;
  sessionId: string;
  observationId?: string | undefined;
  taskType?: string | undefined;
}

/** The key of a `HandedOverRun` in the metadata of an AI SDK message. */
export const runMetadataKey = "afterword";

/** The type of an AI SDK data part whose `data` is a `HandedOverRun`. */
export const runDataPart = "data-afterword";
