export { askedName, createIdentity, idAsText, newId, type Identity, type Respondent } from "./identity.ts";
export { mute } from "./mute.ts";
