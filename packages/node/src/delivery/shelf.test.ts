import { expect, it } from "vitest";
import { aRow } from "./score-queue.fixture.ts";
import { mostOnShelf, Shelf } from "./shelf.ts";

const put = (shelf: Shelf, number: number, dueAt: number) =>
  shelf.put({ score: aRow(number), fetchedAt: 0 }, dueAt);

it("rows leave the shelf when they are due, longest overdue first", () => {
  const shelf = new Shelf();
  for (const [number, dueAt] of [30, 10, 20, 10, 40].entries()) put(shelf, number, dueAt);
  expect(shelf.nextDueAt).toBe(10);
  const ids = shelf.takeDue(10, 30).map(({ score }) => score.id);
  expect(ids).toEqual(["row-1", "row-3", "row-2", "row-0"]);
  expect([shelf.nextDueAt, shelf.takeDue(10, 39), shelf.takeDue(0, 40)]).toEqual([40, [], []]);
  expect(shelf.clear()).toHaveLength(1);
  expect([shelf.isEmpty, shelf.nextDueAt]).toEqual([true, undefined]);
});

it("the shelf says when it is full", () => {
  const shelf = new Shelf();
  for (let number = 1; number < mostOnShelf; number += 1) put(shelf, number, number);
  expect(shelf.isFull).toBe(false);
  put(shelf, 0, 0);
  expect(shelf.isFull).toBe(true);
});
