import { describe, expect, it } from "vitest";
import { isLinearizable, type TokenCall, type TokenReply } from "./token-history.ts";

const call = (
  does: TokenCall["does"],
  content: string,
  [startedAt, endedAt]: [number, number],
  reply?: TokenReply,
): TokenCall => ({ does, content, startedAt, endedAt: reply ? endedAt : Infinity, reply });
const stored = (id: string): TokenReply => ({ result: "stored", id });
const usedBy = (kind: "response" | "dismissal", id?: string, isSame?: boolean): TokenReply => ({
  result: "used",
  kind,
  id,
  isSame,
});

describe("histories of one token that the contract allows", () => {
  it.each<[string, TokenCall[]]>([
    ["nothing", []],
    [
      "a submit and its repetition",
      [call("submit", "a", [0, 1], stored("1")), call("submit", "a", [2, 3], usedBy("response", "1", true))],
    ],
    [
      "two at once, of which the later to begin wins",
      [call("submit", "a", [0, 9], usedBy("response", "2")), call("submit", "b", [1, 2], stored("2"))],
    ],
    [
      "a killed submit that took effect",
      [call("submit", "a", [0, 1]), call("submit", "a", [2, 3], usedBy("response", "1", true))],
    ],
    ["a killed submit that did not", [call("submit", "a", [0, 1]), call("submit", "b", [2, 3], stored("1"))]],
    [
      "a killed submit that took effect late",
      [
        call("submit", "a", [0, 1]),
        call("dismiss", "", [2, 3], stored("1")),
        call("dismiss", "", [4, 5], stored("1")),
      ],
    ],
    [
      "a repeated dismissal",
      [call("dismiss", "", [0, 1], stored("1")), call("dismiss", "", [2, 3], stored("1"))],
    ],
    [
      "a dismissal after an answer",
      [call("submit", "a", [0, 1], stored("1")), call("dismiss", "", [2, 3], usedBy("response", "1"))],
    ],
    [
      "a dismissal that was erased",
      [
        call("dismiss", "", [0, 1], stored("1")),
        { ...call("dismiss", "", [2, 3], { result: "used" }), mayBeErased: true },
      ],
    ],
  ])("%s", (_, history) => expect(isLinearizable(history)).toBe(true));
});

describe("histories of one token that the contract forbids", () => {
  it.each<[string, TokenCall[]]>([
    [
      "two answers stored",
      [call("submit", "a", [0, 1], stored("1")), call("submit", "b", [2, 3], stored("2"))],
    ],
    [
      "two answers stored at once",
      [call("submit", "a", [0, 9], stored("1")), call("submit", "b", [1, 2], stored("2"))],
    ],
    [
      "a refusal before the use",
      [call("submit", "a", [0, 1], usedBy("response", "1")), call("submit", "b", [2, 3], stored("1"))],
    ],
    ["a refusal that nothing has caused", [call("submit", "a", [0, 1], usedBy("response"))]],
    [
      "a refusal that names another record",
      [call("submit", "a", [0, 1], stored("1")), call("submit", "a", [2, 3], usedBy("response", "2"))],
    ],
    [
      "a refusal that names the wrong kind",
      [call("submit", "a", [0, 1], stored("1")), call("submit", "a", [2, 3], usedBy("dismissal", "1"))],
    ],
    [
      "an answer that is wrongly the same",
      [call("submit", "a", [0, 1], stored("1")), call("submit", "b", [2, 3], usedBy("response", "1", true))],
    ],
    [
      "a killed answer that counts twice",
      [
        call("submit", "a", [0, 1]),
        call("submit", "b", [2, 3], usedBy("response", "1", false)),
        call("submit", "c", [4, 5], stored("2")),
      ],
    ],
    [
      "a dismissal after an answer that is stored",
      [call("submit", "a", [0, 1], stored("1")), call("dismiss", "", [2, 3], stored("2"))],
    ],
    [
      "a repeated dismissal with an id of its own",
      [call("dismiss", "", [0, 1], stored("1")), call("dismiss", "", [2, 3], stored("2"))],
    ],
    [
      "a repeated dismissal that is refused",
      [call("dismiss", "", [0, 1], stored("1")), call("dismiss", "", [2, 3], usedBy("dismissal", "1"))],
    ],
  ])("%s", (_, history) => expect(isLinearizable(history)).toBe(false));
});
