// Preact for the files of the script tag, as a file of its own: a page with a survey and thumbs loads it once.
export { Component, createRef, render } from "preact";
export { Fragment, jsx, jsxs } from "preact/jsx-runtime";
