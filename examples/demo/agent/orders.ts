/** The data set that the agent works on: the orders of an invented shop. */
export interface Order {
  number: number;
  customer: string;
  item: string;
  /** Euro cents. */
  price: number;
  /** ISO date. */
  ordered: string;
  state: "packing" | "travelling" | "delivered" | "late" | "refunded";
}

const rows: [number, string, string, number, string, Order["state"]][] = [
  [1038, "Mira Okafor", "Desk lamp, brass", 7490, "2026-09-28", "delivered"],
  [1039, "Jonas Weber", "Wool blanket", 11900, "2026-10-01", "delivered"],
  [1040, "Aiko Tanaka", "Teapot, cast iron", 5850, "2026-10-06", "delivered"],
  [1041, "Lucas Martin", "Reading chair", 42900, "2026-10-12", "late"],
  [1042, "Ann Lee", "Coffee grinder", 3990, "2026-10-15", "delivered"],
  [1043, "Sofia Rossi", "Bookshelf, oak", 28900, "2026-10-19", "late"],
  [1044, "Omar Haddad", "Garden gloves", 1850, "2026-10-24", "delivered"],
  [1045, "Elin Berg", "Candle holders, pair", 3290, "2026-11-02", "travelling"],
  [1046, "Tom Walsh", "Picture frame, A2", 4490, "2026-11-05", "travelling"],
  [1047, "Nadia Petrova", "Linen curtains", 13900, "2026-11-09", "packing"],
];

/** A fresh copy, so that one visitor's refunds are not another's. */
export function newOrders(): Order[] {
  return rows.map(([number, customer, item, price, ordered, state]) => ({
    number,
    customer,
    item,
    price,
    ordered,
    state,
  }));
}
