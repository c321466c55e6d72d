import type { AfterwordOptions } from "@afterword/browser";
import { fault } from "./fault.ts";

let ofPage: string | undefined;

/** Throws if options lack key or address, or are not those of the page's other providers. */
export function checkOptions(options: AfterwordOptions | undefined): AfterwordOptions {
  if (!options?.key || !options.baseUrl)
    throw fault("pass options={{ key, baseUrl }} or a client to <AfterwordProvider>");
  const id = `${options.key} ${options.baseUrl}`;
  if (typeof window !== "undefined" && (ofPage ??= id) !== id) throw changed();
  return options;
}

export const changed = () =>
  fault(
    "<AfterwordProvider> got another key or client: reload the page, or create the client outside of components",
  );
