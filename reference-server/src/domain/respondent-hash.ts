import { type KeyObject } from "node:crypto";
import { importedPrefix } from "@afterword/protocol";
import { keyedHash } from "./keyed-hash.ts";

/** 128 bits of the HMAC: far more respondents than any project has, in half the bytes of every row. */
const hashLength = 16;

/** What suppression is kept under: useless to whoever has the database without the master key (decision D79). */
export function respondentHash(pepper: KeyObject, respondentId: string): Uint8Array {
  return keyedHash(pepper, `respondent/${respondentId}`).subarray(0, hashLength);
}

const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The respondent id of an imported person. Dots and plus signs are kept: they tell people apart (decision D80). */
export function importedRespondentId(pepper: KeyObject, email: string): string {
  const canonical = email.trim().toLowerCase().normalize("NFC");
  return importedPrefix + base32(keyedHash(pepper, `email/${canonical}`));
}
