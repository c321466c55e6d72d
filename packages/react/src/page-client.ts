import { createAfterword, type AfterwordOptions, type HeadlessAfterword } from "@afterword/browser";
import { fault } from "./fault.ts";

let ofPage: { client: HeadlessAfterword; id: string } | undefined;

/**
 * Returns this page's single client, so that StrictMode, remounts and route changes neither ask twice nor turn an
 * anonymous person into another one. On a server, returns a client that does nothing.
 */
export function clientOfPage(options: AfterwordOptions | undefined): HeadlessAfterword {
  if (!options?.key || !options.baseUrl)
    throw fault("pass options={{ key, baseUrl }} or a client to <AfterwordProvider>");
  if (typeof window === "undefined") return createAfterword(options);
  const id = `${options.key} ${options.baseUrl}`;
  ofPage ??= { client: createAfterword(options), id };
  if (ofPage.id !== id) throw changed();
  return ofPage.client;
}

export const changed = () =>
  fault(
    "<AfterwordProvider> got another key or client: reload the page, or create the client outside of components",
  );
