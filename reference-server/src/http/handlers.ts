import { type Readable } from "node:stream";
import { type EndpointKey, type endpoints, type ParsedRequestOf, type ReplyOf } from "@afterword/protocol";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { type Hooks, type Requester } from "../domain/hooks.ts";
import { type StoredKind } from "../events.ts";

/** The input of a handler: a validated and authorised request. */
export type Call<K extends EndpointKey> = ParsedRequestOf<(typeof endpoints)[K]> & {
  service: Service;
  project: Project;
  /** HEAD: the headers of a GET, whose work need not be done. It must change nothing. */
  isHead: boolean;
  /** Aborted when the client disconnects. A function, since few handlers need one and each request would pay for it. */
  readonly signal: () => AbortSignal;
  requester: Requester;
  hooks: Hooks;
  /** Counts the record that this request stored. */
  stored: (kind: StoredKind) => void;
};

/** Returns the reply of the table, or its JSON as a text or a stream. */
export type Handler<K extends EndpointKey> = (
  call: Call<K>,
) => Promise<ReplyOf<(typeof endpoints)[K]> | string | Readable>;

/** One handler per endpoint of the table; a missing one does not compile. */
export type Handlers = { readonly [K in EndpointKey]: Handler<K> };
