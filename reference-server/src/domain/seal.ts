import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from "node:crypto";

/** NIST SP 800-38D, 5.2.1 and 8.2: a random nonce of 96 bits and a tag of 128. */
const cipherName = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts texts with AES-256-GCM, each under a nonce of its own.
 * @param header authenticated with each of them, and not part of the results
 * @returns nonce, encrypted text and tag of each in base64url
 */
export function seal(key: KeyObject, header: string, texts: readonly string[]): string[] {
  const associatedData = Buffer.from(header);
  // Drawn together: a call for random bytes, however few, takes almost half as long as the encryption of a token.
  const nonces = randomBytes(nonceLength * texts.length);
  return texts.map((text, index) => {
    const nonce = nonces.subarray(index * nonceLength, (index + 1) * nonceLength);
    const cipher = createCipheriv(cipherName, key, nonce).setAAD(associatedData);
    const parts = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  });
}

/** @throws Error for anything but what `seal` returned for this key and header */
export function unseal(key: KeyObject, header: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  // Base64 can spell the same bytes in several ways; only one of them is genuine.
  const isCanonical = bytes.toString("base64url") === sealed;
  if (!isCanonical || bytes.length < nonceLength + tagLength) throw new RangeError("Not a sealed text.");
  const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  })
    .setAAD(Buffer.from(header))
    .setAuthTag(bytes.subarray(-tagLength));
  const text = decipher.update(bytes.subarray(nonceLength, -tagLength));
  return Buffer.concat([text, decipher.final()]).toString();
}
