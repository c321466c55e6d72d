export { askedName, createIdentity, newId, type Identity, type Respondent } from "./identity.ts";
export { mute } from "./mute.ts";
