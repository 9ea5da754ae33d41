/** A message of a queue. */
export interface Order {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly price: number;
  readonly count: number;
}

/** The order of a number, always the same. */
export function orderOf(id: number): Order {
  return { id, name: ` Grace ${id} `, email: 'Grace@Example.org', price: 2.5, count: 1 + (id % 7) };
}

/** The bytes in which it is sent. */
export function bytesOf(id: number): Buffer {
  return Buffer.from(JSON.stringify(orderOf(id)));
}
