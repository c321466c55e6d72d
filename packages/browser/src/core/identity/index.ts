export { askedName, createIdentity, idAsText, newId, rememberAsked, type Respondent } from "./identity.ts";
export { mute } from "./mute.ts";
