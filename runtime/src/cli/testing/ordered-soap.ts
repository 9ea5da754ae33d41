import { expect } from 'vitest';
import { compared } from './compared.ts';
import { inDirectory, typed } from './typed.ts';

/** A server of SOAP with two operations. */
export const configuration = `connector "api" {
  type         = "soap"
  port         = 8081
  namespace    = "urn:orders"
  element_form = "qualified"
}
type "line" {
  sku   = string
  count = integer({ required = false })
  part  = line({ required = false })
}
type "order" {
  customer = string({ enum = ["ada", "bob"] })
  express  = boolean
  note     = string({ required = false })
  lines    = array({ items = "line" })
}
type "receipt" {
  id    = string
  total = number
  state = string({ enum = ["open", "sent"] })
  lines = array({ items = "line" })
}
flow "place" {
  from {
    connector = "api"
    operation = "Place"
  }
  validate {
    input  = "order"
    output = "receipt"
  }
  response {
    id = "'1'"
  }
}
flow "ping" {
  from {
    connector = "api"
    operation = "Ping"
  }
  response {
    ok = "'1'"
  }
}
`;

/** The description that it exports. */
export const exported = () =>
  inDirectory({ 'main.hcl': configuration }, async (directory) => (await typed(['export', 'wsdl'], directory)).out);

/** What is reported of a contract, which is made of what the configuration exports. */
export async function reported(change: (text: string) => string, own = configuration) {
  const text = await exported();
  const changed = change(text);
  expect(changed).not.toBe(text);
  return inDirectory({ 'main.hcl': own, 'own.wsdl': changed }, async (directory) => {
    const { status, problems } = await compared(directory, '.', ['own.wsdl']);
    expect(status).toBe(problems.some(({ severity }) => severity === 'error') ? 1 : 0);
    return problems.map(({ severity, file, range, message, related: [there] }) => ({
      says: `${severity} ${file}:${range.start.line} ${message.replace(/ \(own\.wsdl: .*\)$/, '')}`,
      there: there && changed.split('\n')[there.range.start.line - 1]?.trim(),
    }));
  });
}

/** Changes a text. */
export const replacing = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
/** Changes what is written in one element of the schema. */
export const within = (name: string, from: string | RegExp, to: string) => (text: string) => {
  const start = text.indexOf(`<xs:element name="${name}">`);
  const end = text.indexOf('\n      </xs:element>', start);
  const part = text.slice(start, end);
  expect(part.replace(from, to)).not.toBe(part);
  return text.slice(0, start) + part.replace(from, to) + text.slice(end);
};
/** Changes what a request has. */
export const request = (from: string | RegExp, to: string) => within('Place', from, to);
/** Changes what an answer has. */
export const answer = (from: string | RegExp, to: string) => within('PlaceResponse', from, to);
