import { Afterword } from "@afterword/node";

// Mints once, as an app's server does, with what the environment says.
const client = new Afterword({ maxRetries: Number(process.env["AFTERWORD_MAX_RETRIES"] ?? 2) });
const { gated } = await client.mint({ respondentId: `person-${process.pid}`, sessionId: "session" });
console.log(JSON.stringify({ gated }));
