/** In every canary and nowhere else in this repository. */
const mark = "canary9041";

/** A key as long as a real one. */
const keyOf = (kind: string, name: string) => `aw_${kind}_${mark}${name}`.padEnd(49, "0");

/** Values that tests give to a program or a library, and that none of its logs, errors, metrics and files may repeat. */
export const canaries = {
  publishableKey: keyOf("pk", "Publishable"),
  secretKey: keyOf("sk", "Secret"),
  unknownKey: keyOf("sk", "Unknown"),
  /** In hexadecimal, as AFTERWORD_MASTER_KEY takes it. */
  masterKey: Buffer.from(`${mark}MasterKey`.padEnd(32, "0")).toString("hex"),
  /** Of a service that receives scores. */
  sinkKey: `sk-lf-${mark}`,
  webhookSecret: `whsec_${Buffer.from(`${mark}WebhookSecret`.padEnd(32, "0")).toString("base64")}`,
  respondentId: `${mark}-respondent`,
  email: `${mark}.person@${mark}.example`,
  text: `${mark} words of a person`,
  trait: `${mark}-trait`,
  sessionId: `${mark}-session`,
  taskType: `${mark}-task`,
};

/** Keys and tokens of Afterword, of registries and of code hosts, and private keys, whoever's they are. */
const secrets = [
  /\baw_[ps]k_[\w-]{20,}/g,
  /\bst[12]\.[\w.-]{16,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
  /\bAGE-SECRET-KEY-1\w{20,}/g,
  /\bwhsec_[\w+/=]{24,}/g,
  /\b(npm|gh[opsu])_\w{36}/g,
  /\bgithub_pat_\w{22,}/g,
  /\b_authToken\s*=\s*[^\s$]+/g,
];

/** All canaries, also those of which only a part is left, and all secrets in a text. Nothing is expected. */
export function leaksIn(text: string): string[] {
  const sown = [mark, ...Object.values(canaries)].filter((one) =>
    text.toLowerCase().includes(one.toLowerCase()),
  );
  return [...sown, ...secrets.flatMap((pattern) => text.match(pattern) ?? [])];
}
