import { Afterword } from "@afterword/node";
import { type Sink } from "@afterword/node/forwarder";

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL

/** A stream, in constant memory. */
export async function printAnswers(respondentId: string): Promise<void> {
  for await (const row of afterword.privacy.export({ respondentId })) console.log(JSON.stringify(row));
}

export const erase = (respondentId: string) => afterword.privacy.erase({ respondentId });

/** Also deletes the scores at the sinks, such as `[phoenix()]`. */
export const eraseEverywhere = (respondentId: string, sinks: Sink[], forwarderHoldInMs?: number) =>
  afterword.privacy.eraseEverywhere({ respondentId }, { sinks, forwarderHoldInMs });
