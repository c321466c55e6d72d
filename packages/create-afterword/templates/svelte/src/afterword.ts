import { createAfterword } from "@afterword/browser";
import { defineThumbsElement } from "@afterword/browser/thumbs";

// One instance for the page, in a module of its own: every component imports this one.
export const afterword = createAfterword({
  key: import.meta.env.VITE_AFTERWORD_KEY,
  baseUrl: import.meta.env.VITE_AFTERWORD_BASE_URL,
  linkedOnly: true, // ask about runs alone
});
defineThumbsElement(afterword.rate);
