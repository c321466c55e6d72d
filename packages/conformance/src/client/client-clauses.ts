import { type Clause } from "../clauses/clause.ts";
import { type ClientUnderTest, type Role } from "./client-under-test.ts";
import { deliveryClauses, forwardClauses } from "./forward-clauses.ts";
import { mintClientClauses } from "./mint-clauses.ts";
import { choosingClauses, wordingClauses } from "./choosing-clauses.ts";
import { pageClauses } from "./page-clauses.ts";

/** What the kit holds a client to, by its role. */
export const clientClauses: Record<Role, Clause<ClientUnderTest>[]> = {
  mint: mintClientClauses,
  page: [...pageClauses, ...choosingClauses, ...wordingClauses],
  forward: [...forwardClauses, ...deliveryClauses],
};
