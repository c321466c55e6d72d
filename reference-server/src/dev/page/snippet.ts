/** What a snippet is filled with. */
export interface Given {
  publishableKey: string;
  secretKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
}

export interface Snippet {
  /** Where the code belongs, as the reader's project would name it. */
  file: string;
  code: string;
}

/** The snippets of each stack, by its name. */
export type Snippets = Readonly<Record<string, (given: Given) => Snippet[]>>;
