import { type EndpointKey, type endpoints, type ParsedRequestOf, type ReplyOf } from "@afterword/protocol";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type AuditEntry, type StoredKind } from "../operations/events.ts";

/** What a handler works on: everything is checked, and the caller may do this. */
export type Call<K extends EndpointKey> = ParsedRequestOf<(typeof endpoints)[K]> & {
  service: Service;
  project: Project;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Writes down that data was exported or erased. */
  audit: (entry: AuditEntry) => void;
  /** Counts what this request has added. */
  stored: (kind: StoredKind) => void;
};

/** A reply that is written piece by piece. */
export interface StreamedReply {
  chunks: AsyncIterable<string>;
  /** Gives back what the chunks are read from: when all are read, and when the client goes away. May run twice. */
  release: () => Promise<void>;
  /** Runs once, when the reply is over. */
  close: () => void;
  /** Aborted when the client is gone, who may never begin to read. */
  signal: AbortSignal;
  /** Where a file may hold what the client has not taken yet. */
  folder: string;
}

/** Answers with what the table promises, or with the same as JSON text that was written without building it first. */
export type Handler<K extends EndpointKey> = (
  call: Call<K>,
) => Promise<ReplyOf<(typeof endpoints)[K]> | JsonText | StreamedReply>;

/** A handler for each endpoint of the table: a missing one does not compile. */
export type Handlers = { readonly [K in EndpointKey]: Handler<K> };

/** A reply that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
