import { keyClauses, originClauses, scopeClauses } from "./access-clauses.ts";
import { bootstrapClauses, gatingClauses, mintClauses, suppressionClauses } from "./asking-clauses.ts";
import { type Clause } from "./clause.ts";
import { dismissalClauses } from "./dismissal-clauses.ts";
import {
  failureReasonClauses,
  leaseClauses,
  mintReasonClauses,
  runClauses,
  sameAnswerClauses,
  shownClauses,
  tokenCheckClauses,
  wordClauses,
} from "./extension-clauses.ts";
import { orderClauses, replyClauses, requestClauses } from "./http-clauses.ts";
import { bodyLimitClauses, problemClauses, rateClauses, versionClauses } from "./limit-clauses.ts";
import { eraseClauses, exportClauses, exportRowClauses } from "./privacy-clauses.ts";
import { ackClauses, queueClauses, scoreClauses, scoreStateClauses } from "./queue-clauses.ts";
import { bodyClauses, responseClauses, traitClauses } from "./response-clauses.ts";
import { tokenClauses, tokenStateClauses } from "./token-clauses.ts";

/** What the kit holds a server to, in the order in which it runs. Purges come last, before the limit of rates. */
export const serverClauses: Clause[] = [
  ...gatingClauses,
  ...tokenClauses,
  ...suppressionClauses,
  ...bodyClauses,
  ...traitClauses,
  ...scoreClauses,
  ...exportRowClauses,
  ...tokenStateClauses,
  ...scoreStateClauses,
  ...requestClauses,
  ...replyClauses,
  ...orderClauses,
  ...bootstrapClauses,
  ...responseClauses,
  ...dismissalClauses,
  ...mintClauses,
  ...queueClauses,
  ...ackClauses,
  ...exportClauses,
  ...eraseClauses,
  ...tokenCheckClauses,
  ...shownClauses,
  ...keyClauses,
  ...scopeClauses,
  ...originClauses,
  ...problemClauses,
  ...bodyLimitClauses,
  ...versionClauses,
  ...wordClauses,
  ...failureReasonClauses,
  ...runClauses,
  ...sameAnswerClauses,
  ...mintReasonClauses,
  ...leaseClauses,
  ...rateClauses,
];
