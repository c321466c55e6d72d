import { type Client, type MintBody, type Minted } from "@afterword/node";

export interface FakeClient extends Pick<Client, "mint"> {
  /** What was asked for, in order. */
  readonly mints: MintBody[];
}

/** Mints one token for whatever it is asked for, or answers as given. */
export function aClient(answer: () => Promise<Minted> = async () => minted): FakeClient {
  const mints: MintBody[] = [];
  return {
    mints,
    mint: (body) => {
      mints.push(body);
      return answer();
    },
  };
}

const minted: Minted = {
  tokens: { csat: "st2.token" },
  suppression: [],
  issuedAt: "2026-11-22T09:00:00.000Z",
  gated: false,
  sampled: { csat: true },
};

/** Never answers, and ignores that it is told to stop. */
export const aSilentClient = () => aClient(() => new Promise<never>(() => undefined));

export const session = (): MintBody => ({ respondentId: "respondent-1", sessionId: "session-1" });

export async function readAll<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
