/** Reads a response as text. A longer one is cut off, so that a server cannot fill this process's memory. */
export async function readAtMost(response: Response, largestInBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeInBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeInBytes += chunk.byteLength;
    if (sizeInBytes > largestInBytes) break;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
