import { type Order } from "./orders.ts";
import { type Tools } from "./tools.ts";

/** One tool call, shown in the chat as it happens. */
export interface Step {
  tool: keyof Tools;
  input: object;
  result: string;
}

/** How a run ended. Only a finished task is worth a question. */
export interface Outcome {
  answer: string;
  finished: boolean;
  taskType?: string;
}

type Run = Generator<Step, Outcome>;
type Plan = (match: RegExpMatchArray, tools: Tools) => Run;

const euro = (cents: number) => `€${(cents / 100).toFixed(2)}`;
const describe = (order: Order) => `${order.number} (${order.item}, ${order.customer})`;
const done = (taskType: string, answer: string): Outcome => ({ answer, finished: true, taskType });

function* track([, number]: RegExpMatchArray, tools: Tools): Run {
  const order = tools.findOrder({ number: Number(number) });
  yield { tool: "findOrder", input: { number: Number(number) }, result: order ? order.state : "none" };
  if (!order) return done("track", `There is no order ${number}.`);
  return done("track", `Order ${describe(order)} is ${order.state}; it was placed on ${order.ordered}.`);
}

function* refund([, number]: RegExpMatchArray, tools: Tools): Run {
  const order = tools.findOrder({ number: Number(number) });
  yield { tool: "findOrder", input: { number: Number(number) }, result: order ? order.item : "none" };
  if (!order) return done("refund", `There is no order ${number}, so nothing was refunded.`);
  const verdict = tools.checkRefund({ order });
  yield { tool: "checkRefund", input: { order: order.number }, result: verdict.reason };
  if (!verdict.allowed) return done("refund", `Order ${describe(order)} stays as it is: ${verdict.reason}.`);
  tools.issueRefund({ order });
  yield { tool: "issueRefund", input: { order: order.number }, result: euro(order.price) };
  return done("refund", `Done: ${euro(order.price)} for order ${describe(order)} is on its way back.`);
}

function* late(_: RegExpMatchArray, tools: Tools): Run {
  const orders = tools.listOrders({ state: "late" });
  yield { tool: "listOrders", input: { state: "late" }, result: `${orders.length} orders` };
  return done("report", `${orders.length} orders are late: ${orders.map(describe).join(" and ")}.`);
}

function* sales(_: RegExpMatchArray, tools: Tools): Run {
  const orders = tools.listOrders({ month: "2026-10" });
  yield { tool: "listOrders", input: { month: "2026-10" }, result: `${orders.length} orders` };
  const sum = tools.sumPrices({ orders });
  yield { tool: "sumPrices", input: { orders: orders.length }, result: euro(sum) };
  return done("report", `October brought ${orders.length} orders worth ${euro(sum)}.`);
}

const plans: [RegExp, Plan][] = [
  [/refund.*?(\d{4})/i, refund],
  [/(?:where|track|state|status).*?(\d{4})/i, track],
  [/\blate\b/i, late],
  [/october|sell|sold|sales|worth/i, sales],
];

/** Chooses a plan for the request and carries it out, one tool call after the other, without a language model. */
export function* runAgent(request: string, tools: Tools): Run {
  for (const [pattern, plan] of plans) {
    const match = request.match(pattern);
    if (match) return yield* plan(match, tools);
  }
  const answer = "I can refund or track an order by its number, list what is late, and sum October's sales.";
  return { answer, finished: false };
}
