import { SaxesParser } from 'saxes';

interface Line {
  sku: string;
  quantity: number;
}

/** A request as it is read by hand: by local names, with the types of its fields. */
function read(text: string): { operation: string; customer: string; lines: Line[] } {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const order = { operation: '', customer: '', lines: [] as Line[] };
  let content = '';
  parser.on('doctype', () => {
    throw new Error('document types are not accepted');
  });
  parser.on('opentag', ({ local }) => {
    path.push(local);
    content = '';
    if (path.length === 3) order.operation = local;
    if (local === 'lines') order.lines.push({ sku: '', quantity: 0 });
  });
  parser.on('text', (part) => {
    content += part;
  });
  parser.on('closetag', ({ local }) => {
    path.pop();
    const line = order.lines.at(-1);
    if (local === 'customer') order.customer = content;
    else if (local === 'sku' && line !== undefined) line.sku = content;
    else if (local === 'quantity' && line !== undefined) {
      line.quantity = Number(content);
      if (!Number.isInteger(line.quantity)) throw new Error('quantity is not an integer');
    }
  });
  parser.write(text).close();
  return order;
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** The answer to an order. */
export function answerTo(text: string): string {
  const { operation, customer, lines } = read(text);
  const [first] = lines;
  return `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <ns:${operation}Response xmlns:ns="http://example.org/orders">
      <id>o-1042</id>
      <customer>${escaped(customer)}</customer>
      <count>${lines.length}</count>
      <first>${escaped(first?.sku ?? '')}</first>
    </ns:${operation}Response>
  </soap:Body>
</soap:Envelope>
`;
}
