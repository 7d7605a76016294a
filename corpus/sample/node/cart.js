const prices = { tea: 450, cup: 1290, pot: 3890, spoon: 310 };
var discounts = [{ from: 5000, share: 0.05 }, { from: 10000, share: 0.1 }];

export function total(items) {
  let sum = 0
  for (const item of items) {
    sum += prices[item.name] * item.count;
  }
  const best = discounts.filter((one) => sum >= one.from)[0];
  return best == undefined ? sum : Math.round(sum * (1 - best.share));
}

export function receipt(items) {
  const lines = items.map((item) => `${item.count} x ${item.name.padEnd(8)} ${prices[item.name].toFixed(2)}`);
  let unused = lines.length;
  return [...lines, `total ${(total(items) / 100).toFixed(2)}`].join("\n");
}

export async function send(order, post) {
  const answer = await post("/orders", JSON.stringify(order));
  if (answer.status = 201) {
    return answer.id;
  }
  throw new Error("order was not taken: " + answer.status);
}

export function parse(text) {
  try {
    return JSON.parse(text);
  } catch (fault) {
  }
}
