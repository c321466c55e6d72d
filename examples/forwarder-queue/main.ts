import { Afterword } from "@afterword/node";
import { createForwarder, phoenix } from "@afterword/node/forwarder";
import { PgBoss } from "pg-boss";

// AFTERWORD_SECRET_KEY=… AFTERWORD_BASE_URL=… PHOENIX_BASE_URL=… DATABASE_URL=postgres://… node main.ts

const queue = "afterword-forward";
const boss = new PgBoss(process.env["DATABASE_URL"]!);
boss.on("error", console.error);
await boss.start();

// Exclusive: one job drains the queue at a time, whatever the number of workers; a failed job is retried.
await boss.createQueue(queue, {
  policy: "exclusive",
  retryLimit: 5,
  retryBackoff: true,
  expireInSeconds: 300,
});
await boss.schedule(queue, "* * * * *");

const forwarder = createForwarder({
  client: new Afterword(),
  sink: phoenix({ baseUrl: process.env["PHOENIX_BASE_URL"] }),
  logger: console,
});

await boss.work(queue, async ([job]) => {
  // The job's signal ends the run when pg-boss cancels the job; delivered rows are acknowledged. A refused key fails
  // the job, and the next one starts over.
  const summary = await forwarder.runOnce({ signal: job?.signal });
  console.log(JSON.stringify(summary));
  return summary;
});
await boss.send(queue);

// The forwarder first: that ends its run, and so the job, within nine seconds. pg-boss waits for the job.
async function stop(): Promise<void> {
  await forwarder.stop();
  await boss.stop();
}
process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
