/** What a server or a client under test has sent, legal or not: each clause says what it expects, and fails where that is not there. */
// oxlint-disable-next-line typescript/no-explicit-any -- a type would promise what the kit is about to check
export type AnyJson = any;
