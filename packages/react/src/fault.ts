/** An error that tells the developer what to do. */
export const fault = (text: string) => new Error(`afterword: ${text}`);
