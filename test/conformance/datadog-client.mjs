// Submits feedback with Datadog's own client, as a program of its own: its tracer takes hold of the whole process.
// The arguments are the address of a Datadog Agent and, as JSON, what to submit. Its pulse to the Agent is left out.
import tracer from "dd-trace";

const [url, feedback] = process.argv.slice(2);
tracer.init({ url, plugins: false, startupLogs: false, llmobs: { mlApp: "shop-agent" } });
for (const one of JSON.parse(feedback)) tracer.llmobs.submitFeedback(one);
