#!/usr/bin/env node
// The apps run TypeScript as it is, which older versions cannot. Those can read this file, which imports nothing before.
const oldest = [22, 18];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest[0]! || (major === oldest[0] && minor < oldest[1]!)) {
  process.stderr.write(
    `create-afterword needs Node ${oldest.join(".")} or newer, and this is ${process.version}: install a newer one, and run it again.\n`,
  );
  process.exitCode = 2;
} else void import("./program/run-program.ts");
