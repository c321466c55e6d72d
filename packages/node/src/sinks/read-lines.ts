export interface ReadableFile {
  createReadStream(options: {
    start: number;
    autoClose: boolean;
    highWaterMark: number;
  }): AsyncIterable<Uint8Array>;
}

export interface FileLine {
  /** Including the newline, if there is one. */
  bytes: Buffer;
  /** `false` for a last line without a newline. */
  isWhole: boolean;
}

const newline = 0x0a;

/** Reads a file from its start, line by line, as bytes, so that sizes can be counted. The handle stays open. */
export async function* readLines(handle: ReadableFile): AsyncGenerator<FileLine> {
  let pieces: Uint8Array[] = [];
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 })) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      yield { bytes: Buffer.concat([...pieces, chunk.subarray(from, end + 1)]), isWhole: true };
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield { bytes: Buffer.concat(pieces), isWhole: false };
}
