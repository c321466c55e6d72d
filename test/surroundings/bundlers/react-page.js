import { AfterwordProvider, Thumbs } from "@afterword/react";
import { runOf } from "@afterword/react/ai-sdk";
import { createFeedbackAdapter } from "@afterword/react/assistant-ui";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterword } from "./page.js";

const thumbs = createElement(Thumbs, { run: globalThis.given.reactRun, surveyId: "run" });
createRoot(document.querySelector("main")).render(
  createElement(AfterwordProvider, { client: afterword }, thumbs),
);
globalThis.used.push(typeof runOf, typeof createFeedbackAdapter);
