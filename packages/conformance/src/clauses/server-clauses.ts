import { keyClauses, originClauses, scopeClauses } from "./access-clauses.ts";
import { bootstrapClauses, mintClauses } from "./asking-clauses.ts";
import { bodyClauses } from "./body-clauses.ts";
import { type Clause } from "./clause.ts";
import { extensionClauses } from "./extension-clauses.ts";
import { gatingClauses, suppressionClauses } from "./gating-clauses.ts";
import { leaseClauses } from "./lease-clauses.ts";
import { bodyLimitClauses, problemClauses, rateClauses, versionClauses } from "./limit-clauses.ts";
import { eraseClauses, exportClauses, exportRowClauses } from "./privacy-clauses.ts";
import { ackClauses, queueClauses, scoreClauses, scoreStateClauses } from "./queue-clauses.ts";
import { dismissalClauses, responseClauses } from "./record-clauses.ts";
import { requestClauses } from "./request-clauses.ts";
import { tokenClauses } from "./token-clauses.ts";
import {
  expiredTokenClauses,
  shownClauses,
  tokenAnswerClauses,
  tokenCheckClauses,
  tokenStateClauses,
} from "./token-state-clauses.ts";

/** What the kit holds a server to, in the order in which it runs. Purges come last, before the limit of rates. */
export const serverClauses: Clause[] = [
  ...gatingClauses,
  ...tokenClauses,
  ...suppressionClauses,
  ...bodyClauses,
  ...scoreClauses,
  ...exportRowClauses,
  ...tokenStateClauses,
  ...scoreStateClauses,
  ...requestClauses,
  ...bootstrapClauses,
  ...responseClauses,
  ...dismissalClauses,
  ...mintClauses,
  ...queueClauses,
  ...ackClauses,
  ...exportClauses,
  ...eraseClauses,
  ...tokenCheckClauses,
  ...tokenAnswerClauses,
  ...shownClauses,
  ...expiredTokenClauses,
  ...keyClauses,
  ...scopeClauses,
  ...originClauses,
  ...problemClauses,
  ...bodyLimitClauses,
  ...versionClauses,
  ...extensionClauses,
  ...leaseClauses,
  ...rateClauses,
];
