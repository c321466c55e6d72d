/// <reference types="@afterword/browser/types/react" />
/// <reference types="@afterword/browser/types/script-tag" />
import type { ReactElement } from "react";

export const inReact = (): ReactElement => <afterword-survey slug="how-did-it-go" className="survey" />;

// @ts-expect-error the element shows the survey that its slug names
export const withoutSlug = (): ReactElement => <afterword-survey />;

window.afterword("identify", "user-17");
afterword("ask", "how-did-it-go");
// @ts-expect-error a command that there is not
afterword("askk", "how-did-it-go");
