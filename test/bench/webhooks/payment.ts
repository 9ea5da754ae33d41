/** What both sides sign with, and a body as providers of payments send it. */
export const secret = 'secret-of-the-benchmark-0123456789';
export const payment = {
  id: 'pay_1f2e3d4c5b6a',
  type: 'payment.made',
  amount: 1250,
  currency: 'EUR',
  customer: { id: 'cus_77', name: 'Ada Lovelace', country: 'GB' },
  lines: [
    { sku: 'tea', quantity: 2, price: 500 },
    { sku: 'cup', quantity: 1, price: 250 },
  ],
};
