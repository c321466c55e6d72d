import { createHmac, type KeyObject } from "node:crypto";
import { importedPrefix, type MintBody } from "@afterword/protocol";

/** HMAC-SHA-256: 32 bytes. */
export function keyedHash(key: KeyObject, data: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** 128 bits of the HMAC: far more respondents than any project has, in half the bytes of every row. */
const hashLength = 16;

const hashOf = (pepper: KeyObject, text: string): Uint8Array =>
  keyedHash(pepper, text).subarray(0, hashLength);

/** Suppression is kept under this hash, which cannot be matched with ids without the project's pepper. */
export const respondentHash = (pepper: KeyObject, respondentId: string) =>
  hashOf(pepper, `respondent/${respondentId}`);

/** A session, with the observation where there is one. */
type Run = Pick<MintBody, "sessionId" | "observationId">;

/** Hashes a respondent's run. Runs of two people in one session cannot be matched. */
export const runHash = (pepper: KeyObject, respondentId: string, { sessionId, observationId }: Run) =>
  hashOf(pepper, `run/${JSON.stringify([respondentId, sessionId, observationId])}`);

/** Hashes a run in one survey, in another domain than `runHash`. All tokens of the run carry it. */
export const runTokenHash = (
  pepper: KeyObject,
  respondentId: string,
  surveyId: string,
  { sessionId, observationId }: Run,
) => hashOf(pepper, `run-token/${JSON.stringify([respondentId, surveyId, sessionId, observationId])}`);

const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The respondent id of an imported person. Dots and plus signs are kept: they distinguish people. */
export function importedRespondentId(pepper: KeyObject, email: string): string {
  const canonical = email.trim().toLowerCase().normalize("NFC");
  return importedPrefix + base32(keyedHash(pepper, `email/${canonical}`));
}
