export { askedName, createIdentity, idAsText, newId, type Respondent } from "./identity.ts";
export { mute } from "./mute.ts";
