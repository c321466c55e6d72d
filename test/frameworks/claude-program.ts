import { type Options, type SpawnedProcess } from "@anthropic-ai/claude-agent-sdk";
import { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";

type Message = Record<string, unknown>;

const base = { session_id: "session-of-claude", uuid: "00000000-0000-4000-8000-000000000000" };

/** The messages of a turn, up to its result. */
export const turn = (result: Message = {}): Message[] => [
  { type: "system", subtype: "init", ...base },
  {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "tool_use", id: "1", name: "refund", input: {} }] },
    parent_tool_use_id: null,
    ...base,
  },
  {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text: "Refunded." }] },
    parent_tool_use_id: null,
    ...base,
  },
  {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Refunded.",
    stop_reason: "end_turn",
    ...base,
    ...result,
  },
];

/**
 * Stands for the program that the Claude Agent SDK starts and talks to in lines of JSON. Answers each message of a
 * person with the next turn, and ends when its input does, or after a turn without a result.
 */
export function claudeProgram(...turns: Message[][]): Options["spawnClaudeCodeProcess"] {
  return () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const end = () => {
      if (program.exitCode !== null) return;
      program.exitCode = 0;
      stdout.end();
      program.emit("exit", 0, null);
    };
    const kill = () => {
      end();
      return true;
    };
    const program = Object.assign(new EventEmitter(), {
      stdin,
      stdout,
      kill,
      killed: false,
      exitCode: null as number | null,
    });
    const say = (message: Message) => stdout.write(`${JSON.stringify(message)}\n`);
    const lines = createInterface({ input: stdin });
    lines.on("line", (line) => {
      const { type, request_id } = JSON.parse(line) as Message;
      if (type === "control_request")
        say({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
      if (type !== "user") return;
      const messages = turns.shift();
      messages?.forEach(say);
      if (messages?.at(-1)?.["type"] !== "result") end();
    });
    lines.on("close", end);
    return program as unknown as SpawnedProcess;
  };
}
