/** An error for the developer, which says what to do. */
export const fault = (text: string) => new Error(`afterword: ${text}`);
