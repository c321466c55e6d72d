import type { Afterword } from "@afterword/browser";

/** `afterword("ask", "how-did-it-go")`: the commands by their names, as the script tag takes them. */
interface AfterwordCommand {
  <Name extends keyof Afterword>(command: Name, ...given: Parameters<Afterword[Name]>): unknown;
  /** The commands that were given before the script had loaded. */
  q?: ArrayLike<unknown>[];
}

declare global {
  interface Window {
    afterword: AfterwordCommand;
  }
  var afterword: AfterwordCommand;
}
