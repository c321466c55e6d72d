import { expect, it } from "vitest";
import { aRow } from "./score-queue.fixture.ts";
import { mostInRetryQueue, RetryQueue } from "./retry-queue.ts";

const put = (queue: RetryQueue, number: number, dueAt: number) =>
  queue.put({ score: aRow(number), fetchedAt: 0 }, dueAt);

it("rows leave the retry queue when they are due, longest overdue first", () => {
  const queue = new RetryQueue();
  for (const [number, dueAt] of [30, 10, 20, 10, 40].entries()) put(queue, number, dueAt);
  expect(queue.nextDueAt).toBe(10);
  const ids = queue.takeDue(10, 30).map(({ score }) => score.id);
  expect(ids).toEqual(["row-1", "row-3", "row-2", "row-0"]);
  expect([queue.nextDueAt, queue.takeDue(10, 39), queue.takeDue(0, 40)]).toEqual([40, [], []]);
  expect(queue.clear()).toHaveLength(1);
  expect(queue.nextDueAt).toBeUndefined();
});

it("the retry queue says when it is full", () => {
  const queue = new RetryQueue();
  for (let number = 1; number < mostInRetryQueue; number += 1) put(queue, number, number);
  expect(queue.isFull).toBe(false);
  put(queue, 0, 0);
  expect(queue.isFull).toBe(true);
});
