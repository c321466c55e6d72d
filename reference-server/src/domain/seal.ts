import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from "node:crypto";

/** NIST SP 800-38D, 5.2.1 and 8.2: a random nonce of 96 bits and a tag of 128. */
const cipherName = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts a text with AES-256-GCM.
 * @param header authenticated with it, and not part of the result
 * @returns nonce, encrypted text and tag in base64url
 */
export function seal(key: KeyObject, header: string, text: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(cipherName, key, nonce).setAAD(Buffer.from(header));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
    "base64url",
  );
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
