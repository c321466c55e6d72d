import type { IdentityKind, Traits } from "@afterword/protocol";

/** The person in front of the agent, as far as they are known. */
export interface Respondent {
  id: string;
  kind: IdentityKind;
  traits: Traits;
}
