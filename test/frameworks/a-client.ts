import { type Client, type MintBody } from "@afterword/node";

/** Mints one token for whatever it is asked for. */
export const aClient = (): Pick<Client, "mint"> => ({
  mint: async () => ({
    tokens: { csat: "st2.token" },
    suppression: [],
    issuedAt: "2026-11-22T09:00:00.000Z",
    gated: false,
  }),
});

export const session = (): MintBody => ({ respondentId: "respondent-1", sessionId: "session-1" });
