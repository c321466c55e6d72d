import { Afterword } from "@afterword/node";
import { forwardAll, sinkOf } from "./forwarder-rivals.ts";

// A program of a user's that drains a queue into a sink that answers at once.

const client = new Afterword({ secretKey: "aw_sk_bench_0123456789abcdef", baseUrl: process.argv[2]! });
await forwardAll(client, sinkOf(0), 16);
