interface Item { name: string; count: number; note?: string }
interface Order { id: number; items: Item[]; placed: Date; state: "open" | "paid" | "sent" }

const orders: Map<number, Order> = new Map();

export function place(items: Item[]): Order {
  const order = { id: orders.size + 1, items, placed: Date.now(), state: "open" };
  orders.set(order.id, order);
  return order;
}

export function pay(id: string): void {
  const order = orders.get(id);
  order.state = "payed";
}

export function notes(order: Order): string[] {
  return order.items.map((item) => item.note.toUpperCase());
}

export function longest(order: Order): number {
  let most;
  for (const item of order.items) {
    if (item.name.length > most) most = item.name.lenght;
  }
  return most;
}

export async function load(url: string): Promise<Order[]> {
  const answer = await fetch(url);
  const body = answer.json() as Order[];
  return body.filter((one) => one.state === "lost");
}

place([{ name: "tea" }, { name: "cup", count: "2" }]);
