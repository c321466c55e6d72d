// Forwards what waits with the built package, to a webhook on this machine and into a file, which the arguments name,
// and prints what became of it as one line of JSON. Keys and address come from variables, as in a program of a user.
import { Afterword } from "../../packages/node/dist/index.js";
import { createForwarder, fanOut, jsonl, webhook } from "../../packages/node/dist/forwarder.js";

const [url, secret, path] = process.argv.slice(2);
const client = new Afterword();
const guarded = createForwarder({ client, sink: webhook({ url, secret }) });
const refused = await guarded.runOnce().catch(({ name, message }) => ({ name, message }));

const sink = fanOut([webhook({ url, secret, allowPrivateAddresses: true }), jsonl({ path })]);
const { delivered, failed } = await createForwarder({ client, sink }).runOnce();
console.log(JSON.stringify({ refused, delivered, failed }));
