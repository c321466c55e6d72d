/** What a view reported, for those who test it: `["rated", 9]`, `["submit", {…}]`, `["closed"]`. */
export type Report = [name: string, detail?: unknown];

declare global {
  interface Window {
    /** All reports since the page was opened, in order. */
    reports: Report[];
    /** Shows another survey, by default the one that the page's address asks for, as `?type=nps&place=corner`. */
    show: (search?: string) => { close: () => void };
  }
}
