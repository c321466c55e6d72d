import { type Template } from "./templates.ts";

/** What is to be made, and where. */
export interface Choice {
  /** Of the template. */
  name: string;
  template: Template;
  /** As the person gave it. */
  folder: string;
  /** Where the app listens; `undefined` for a program without a page. */
  port: number | undefined;
  devPort: number;
}

/** Whether scores must be left in the queue for it. */
export const isForwarder = ({ name }: Choice): boolean => name === "worker";

/** What follows `afterword-server dev`, to start it as here. */
export const devFlags = (choice: Choice): string =>
  `${choice.devPort === 4330 ? "" : ` --port ${choice.devPort}`}${isForwarder(choice) ? " --no-forward" : ""}`;
