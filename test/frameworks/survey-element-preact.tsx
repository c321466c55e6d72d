/** @jsxImportSource preact */
/// <reference types="@afterword/browser/types/preact" />

export const inPreact = () => <afterword-survey slug="how-did-it-go" class="survey" />;

// @ts-expect-error the element shows the survey that its slug names
export const withoutSlug = () => <afterword-survey />;
