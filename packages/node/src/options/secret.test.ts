import { describe, expect, it } from "vitest";
import { braintrust } from "../sinks/braintrust.ts";
import { datadog } from "../sinks/datadog.ts";
import { langfuse } from "../sinks/langfuse.ts";
import { langsmith } from "../sinks/langsmith.ts";
import { mlflow } from "../sinks/mlflow.ts";
import { opik } from "../sinks/opik.ts";
import { phoenix } from "../sinks/phoenix.ts";
import { type Secret, secretHeaders } from "./secret.ts";

const resolveTarget = () => null;
const sinks: [string, (key: Secret) => unknown][] = [
  ["Braintrust", (apiKey) => braintrust({ apiKey, projectId: "p", resolveTarget })],
  ["Datadog", (apiKey) => datadog({ apiKey, mlApp: "shop" })],
  ["Langfuse", (secretKey) => langfuse({ publicKey: "pk-1", secretKey })],
  ["LangSmith", (apiKey) => langsmith({ apiKey, resolveTarget })],
  ["MLflow", (token) => mlflow({ token })],
  ["Opik", (apiKey) => opik({ apiKey })],
  ["Phoenix", (apiKey) => phoenix({ apiKey })],
];

describe("the key of a sink", () => {
  it.each(sinks)(
    "of %s that no header could carry is refused at the start and not repeated",
    (name, make) => {
      expect(() => make("hush\n")).toThrow(new RegExp(`of ${name} contains`));
      expect(() => make("hush\n")).not.toThrow(/hush/);
      expect(() => make("")).toThrow(new RegExp(`of ${name} is missing`));
      expect(() => make(() => "asked for later")).not.toThrow();
    },
  );

  it.each(sinks.filter(([name]) => ["Braintrust", "Datadog", "LangSmith"].includes(name)))(
    "of %s must be given",
    (name, make) => {
      expect(() => make(undefined as unknown as Secret)).toThrow(new RegExp(`of ${name} is missing`));
    },
  );

  it("is asked for anew each time when it rotates", async () => {
    let count = 0;
    const headers = secretHeaders(
      () => `key-${(count += 1)}`,
      "The key",
      (key) => ({ "x-key": key }),
    );
    expect([await headers(), await headers()]).toEqual([{ "x-key": "key-1" }, { "x-key": "key-2" }]);
  });
});
