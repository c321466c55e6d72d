// Starts Afterword in each of the ways that a page may, in the order that a test wants. Bundled as an app is.
import { createAfterword, defineSurveyElement } from "@afterword/browser";
import { createHeadlessAfterword } from "@afterword/browser/headless";
import { defineThumbsElement } from "@afterword/browser/thumbs";
import { AfterwordProvider, useAfterword } from "@afterword/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

let tags = 0;

/** The commands of the script tag as methods, as a handle of npm has them. */
const commands = Object.fromEntries(
  ["destroy", "identify", "respondent", "ask", "rate"].map((name) => [
    name,
    (...given) => window.afterword(name, ...given),
  ]),
);

const attribute = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Renders a provider, as an app does, and returns its client. */
function startReact(options) {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  return new Promise((resolve) => {
    function App() {
      resolve(useAfterword());
      return null;
    }
    root.render(
      <StrictMode>
        <AfterwordProvider options={options}>
          <App />
        </AfterwordProvider>
      </StrictMode>,
    );
  });
}

async function startTag(options) {
  const script = document.createElement("script");
  script.src = `/afterword/afterword.js?${++tags}`;
  for (const [name, value] of Object.entries(options)) script.setAttribute(attribute(name), value);
  const loaded = new Promise((done) => script.addEventListener("load", done));
  document.head.append(script);
  await loaded;
  return commands;
}

const starts = {
  npm: createAfterword,
  headless: createHeadlessAfterword,
  react: startReact,
  tag: startTag,
};
Object.assign(window, { starts, clients: [], defineSurveyElement, defineThumbsElement });
