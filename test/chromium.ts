/**
 * A real Chromium out of an npm package, or the one that CHROMIUM_PATH names. Never use that package's own list of
 * arguments: it switches web security off, and with it every test of origins and content security policies.
 */
export async function chromiumPath(): Promise<string> {
  const given = process.env["CHROMIUM_PATH"];
  if (given) return given;
  // Set before the import: the package then unpacks the system libraries that a bare machine lacks.
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs24.x";
  const { default: chromium } = await import("@sparticuz/chromium");
  return chromium.executablePath();
}

/** Root needs it, and nothing else is safe to switch off in a test. */
export const chromiumArguments = ["--no-sandbox"];
