import { ackClauses } from "./ack-clauses.ts";
import { bodyClauses, traitClauses } from "./body-clauses.ts";
import { bootstrapClauses } from "./bootstrap-clauses.ts";
import { type Clause } from "./clause.ts";
import { dismissalClauses } from "./dismissal-clauses.ts";
import { eraseClauses } from "./erase-clauses.ts";
import { exportClauses, exportRowClauses } from "./export-clauses.ts";
import { failureReasonClauses, sameAnswerClauses, wordClauses } from "./extension-clauses.ts";
import { gatingClauses } from "./gating-clauses.ts";
import { keyClauses, scopeClauses } from "./key-clauses.ts";
import { leaseClauses } from "./lease-clauses.ts";
import { bodyLimitClauses, problemClauses, rateClauses, versionClauses } from "./limit-clauses.ts";
import { mintClauses } from "./mint-clauses.ts";
import { originClauses } from "./origin-clauses.ts";
import { queueClauses, scoreClauses, scoreStateClauses } from "./queue-clauses.ts";
import { orderClauses, replyClauses } from "./reply-clauses.ts";
import { requestClauses } from "./request-clauses.ts";
import { responseClauses } from "./response-clauses.ts";
import { mintReasonClauses, runClauses } from "./run-clauses.ts";
import { suppressionClauses } from "./suppression-clauses.ts";
import { expiredTokenClauses, shownClauses, tokenCheckClauses } from "./token-check-clauses.ts";
import { tokenClauses } from "./token-clauses.ts";
import { tokenStateClauses } from "./token-state-clauses.ts";

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
  ...expiredTokenClauses,
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
