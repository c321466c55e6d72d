import { webhook } from "@afterword/node/forwarder";
import { Webhook } from "standardwebhooks";
import { Holdings, knownRun, signInPage, type SinkContract } from "../sink-contract.ts";

export const webhookSecret = `whsec_${btoa("a signing secret of 32 bytes ...")}`;

/** The receiver goes by Standard Webhooks: it checks the signature and knows a repetition by `webhook-id`. */
export function webhookContract(): SinkContract {
  const holdings = new Holdings();
  return {
    // The receiver refuses messages of another time than its own, so the sink goes by the real clock here.
    makeSink: (baseUrl, { timeoutInMs }) =>
      webhook({
        url: `${baseUrl}/hooks/T000/hush?key=hush`,
        secret: webhookSecret,
        allowPrivateAddresses: true,
        timeoutInMs,
      }),
    isDelivery: ({ method }) => method === "POST",
    isIdempotent: true,
    documents: ({ body }) => body !== signInPage,
    erases: true,
    examines: false,
    secret: "hush",
    reference: {
      ofTrace: { body: { data: { observationId: knownRun.traceId } } },
      ofSpan: { body: { data: { observationId: `${knownRun.traceId}-${knownRun.spanId}` } } },
    },
    thumbs: { up: { data: { thumbs: "up", rating: 5 } }, down: { data: { thumbs: "down", rating: 1 } } },
    held: (id) => holdings.count(id),
    play({ path, query, headers, payload, body }) {
      if (path !== "/hooks/T000/hush" || query.get("key") !== "hush") return { status: 404 };
      try {
        new Webhook(webhookSecret).verify(payload, headers as Record<string, string>);
      } catch {
        return { status: 400, body: "bad signature" };
      }
      if (body.type === "afterword.rating.erased") holdings.remove(body.data.id);
      else holdings.put(headers["webhook-id"] as string, body.data.id);
      return { status: 204 };
    },
  };
}
