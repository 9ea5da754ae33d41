/** What the fields of the schema answer, the same on both sides. */
export const data = {
  order: {
    id: 'o-1042',
    state: 'open',
    total: 149.5,
    customer: { name: 'Ada Lovelace', email: 'ada@example.com', address: { city: 'London', zip: 'W1' } },
    lines: [
      { sku: 'a-1', count: 2, price: 24.75 },
      { sku: 'b-7', count: 1, price: 100 },
    ],
  },
  users: Array.from({ length: 60 }, (_, at) => ({
    id: `u-${at}`,
    name: `User number ${at}`,
    email: `user.${at}@example.com`,
    age: 20 + (at % 50),
    active: at % 3 !== 0,
  })),
};

export const documents = {
  order:
    'query Order($id: ID!) { order(id: $id) { id state total customer { name email address { city zip } } lines { sku count price } } }',
  users: '{ users { id name email age active } }',
};
