import type { Readable } from "node:stream";
import { AfterwordRespondent } from "@afterword/node";
import { askInTerminal } from "@afterword/node/terminal";

/** AFTERWORD_PUBLISHABLE_KEY and AFTERWORD_BASE_URL say where to ask. Without `input` it needs a terminal. */
export async function askPerson(userId: string, input?: Readable) {
  const ask = await new AfterwordRespondent({ userId }).nextAsk();
  return ask && (await askInTerminal(ask, { input })); // or ask.submit({ rating: 5 }), ask.dismiss()
}
