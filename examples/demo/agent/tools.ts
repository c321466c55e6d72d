import { type Order } from "./orders.ts";

/** What the agent can do with the orders. Every tool returns plain data for the next step. */
export interface Tools {
  findOrder(input: { number: number }): Order | undefined;
  listOrders(input: { state?: Order["state"]; month?: string }): Order[];
  sumPrices(input: { orders: Order[] }): number;
  checkRefund(input: { order: Order }): { allowed: boolean; reason: string };
  issueRefund(input: { order: Order }): Order;
}

export function toolsFor(orders: Order[]): Tools {
  return {
    findOrder: ({ number }) => orders.find((order) => order.number === number),
    listOrders: ({ state, month }) =>
      orders.filter(
        (order) => (!state || order.state === state) && (!month || order.ordered.startsWith(month)),
      ),
    sumPrices: ({ orders: some }) => some.reduce((sum, { price }) => sum + price, 0),
    checkRefund: ({ order }) =>
      order.state === "refunded"
        ? { allowed: false, reason: "it was refunded before" }
        : { allowed: true, reason: `it is ${order.state}` },
    issueRefund: ({ order }) => Object.assign(order, { state: "refunded" }),
  };
}
