import { Afterword } from "@afterword/node";
import { forwardAll, sinkOf, timed } from "./forwarder-rivals.ts";

// Drains a queue in a process of its own and prints how far the memory grew behind the first 10,000 rows.

const baseUrl = process.argv[2]!;
const rows = Number(process.argv[3]);
const settled = 10_000;
const client = new Afterword({ secretKey: "aw_sk_bench_0123456789abcdef", baseUrl });
const sink = sinkOf(0);
let seen = 0;
let atSettled = 0;
let largest = 0;

const counting = {
  ...sink,
  deliver: (...given: Parameters<typeof sink.deliver>) => {
    seen += given[0].length;
    if (seen === settled) atSettled = process.memoryUsage.rss();
    if (seen > settled && seen % 1000 === 0) largest = Math.max(largest, process.memoryUsage.rss());
    return sink.deliver(...given);
  },
};

const { perSecond } = await timed(rows, () => forwardAll(client, counting, 16));
const grownInMegabytes = (largest - atSettled) / 2 ** 20;
process.stdout.write(
  `${JSON.stringify({ rows: seen, perSecond, atSettledInMegabytes: atSettled / 2 ** 20, grownInMegabytes })}\n`,
);
