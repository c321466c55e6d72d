import { expect, it } from "vitest";
import { IdSet } from "./id-set.ts";

it("an id that was added is known, and no other, however many there are", () => {
  const ids = new IdSet();
  const idOf = (number: number) => `rsp_${number.toString(36).padStart(24, "0")}`;
  for (let number = 0; number < 20_000; number += 1) ids.add(idOf(number));
  const areNew = Array.from({ length: 40_000 }, (_, number) => ids.add(idOf(number)));
  expect(areNew.lastIndexOf(false)).toBe(19_999);
  expect(areNew.indexOf(true)).toBe(20_000);
});
