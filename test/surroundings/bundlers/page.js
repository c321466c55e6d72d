import { createAfterword } from "@afterword/browser";
import { createHeadlessAfterword } from "@afterword/browser/headless";
import { defineThumbsElement } from "@afterword/browser/thumbs";

const { key, baseUrl, respondentId, run } = globalThis.given;
export const afterword = createAfterword({ key, baseUrl, language: "de" });
afterword.identify(respondentId);

defineThumbsElement(afterword.rate);
const thumbs = document.createElement("afterword-thumbs");
const attributes = { "survey-id": "run", "session-id": run.sessionId, "token": run.tokens.run };
for (const [name, value] of Object.entries(attributes)) thumbs.setAttribute(name, value);
document.querySelector("aside").append(thumbs);

document.querySelector("button").addEventListener("click", () => afterword.ask("when-asked"));
globalThis.used = [typeof createHeadlessAfterword];
