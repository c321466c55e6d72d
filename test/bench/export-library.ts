import { Afterword } from "@afterword/node";

// A program of a user's that reads an export; each thousand rows it says so by a line.

const client = new Afterword({ baseUrl: process.argv[2]!, secretKey: process.argv[3]! });
let seen = 0;
for await (const { id } of client.privacy.export()) {
  if (id) seen += 1;
  if (seen % 1000 === 0) process.stdout.write("\n");
}
