import type { EraseReply, ExportQuery } from "@afterword/protocol";
import type { CallOptions, Transport } from "../http/transport.ts";
import { eraseEverywhere } from "./erase-everywhere.ts";
import type { Timing } from "./erase-at-sink.ts";
import type { EraseEverywhereOptions, EraseEverywhereReport } from "./erase-everywhere.ts";
import { eraseQuery, type EraseRespondent, type EraseSelector } from "./erase-selector.ts";
import { exportResponses, type ExportedResponses } from "./export-responses.ts";

/** Timeout of an erase, which takes a while in a large project. */
const eraseTimeoutInMs = 120_000;

/** Requests of data subjects: export and erasure. */
export interface Privacy {
  /**
   * Exports responses, row by row: of one person, of one survey, or without a query of the whole project.
   * Rows hold personal data.
   */
  export(query?: ExportQuery, options?: CallOptions): ExportedResponses;
  /** Erases a person's responses, a survey's, or with `{ account: true }` everything. Cannot be undone. */
  erase(selector: EraseSelector, options?: CallOptions): Promise<EraseReply>;
  /** Erases a person's responses here and their scores at the sinks; takes two minutes unless no forwarder runs. */
  eraseEverywhere(selector: EraseRespondent, options: EraseEverywhereOptions): Promise<EraseEverywhereReport>;
}

export function createPrivacy(transport: Transport, timing: Timing): Privacy {
  const privacy: Privacy = {
    export: (query, options) => exportResponses(transport, timing.clock, query, options),
    async erase(selector, options) {
      const query = { ...eraseQuery(selector) };
      return transport.json(
        "DELETE /v1/privacy/erase",
        { query },
        { timeoutInMs: eraseTimeoutInMs, ...options },
      );
    },
    eraseEverywhere(selector, options) {
      eraseQuery(selector);
      return eraseEverywhere(privacy, timing, selector, options);
    },
  };
  return privacy;
}
