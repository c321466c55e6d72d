/** An error for the developer. */
export const fault = (text: string) => new Error(`afterword: ${text}`);
