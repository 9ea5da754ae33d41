import type { Command } from '../command.ts';

export const addCommand: Command = {
  name: 'add',
  summary: 'Write a declaration into a file of its own, or what a contract of another maker says.',
  positionals: 'KIND NAME|FILE',
  most: 2,
  options: {
    list: { kind: 'flag', doc: 'Show the kinds; with connector, its types and drivers.' },
    type: { kind: 'text', placeholder: 'TYPE', doc: 'connector: its type. validator: regex or cel.' },
    driver: { kind: 'text', placeholder: 'DRIVER', doc: 'connector: its driver.' },
    from: { kind: 'text', placeholder: 'CONNECTOR', doc: 'flow, saga: where messages come from.' },
    operation: { kind: 'text', placeholder: 'TEXT', doc: 'flow, saga: what of it, such as "GET /orders/:id".' },
    to: { kind: 'text', placeholder: 'CONNECTOR', doc: 'flow: where it goes.' },
    target: { kind: 'text', placeholder: 'TEXT', doc: 'flow, aspect: table, path or queue there.' },
    fields: {
      kind: 'list',
      placeholder: 'NAME,…',
      doc: 'transform: its fields. type: NAME:TYPE or NAME:TYPE:FORMAT.',
    },
    on: { kind: 'list', placeholder: 'PATTERN,…', doc: 'aspect: names of flows, with * and ?.' },
    when: { kind: 'text', placeholder: 'PHASE', doc: 'aspect: before, after, on_error, on_drop.' },
    'action-connector': { kind: 'text', placeholder: 'CONNECTOR', doc: 'aspect: what it writes to.' },
    'action-flow': { kind: 'text', placeholder: 'FLOW', doc: 'aspect: what it calls.' },
    steps: { kind: 'list', placeholder: 'NAME,…', doc: 'saga: its steps.' },
    states: { kind: 'list', placeholder: 'NAME,…', doc: 'state-machine: its states.' },
    initial: { kind: 'text', placeholder: 'NAME', doc: 'state-machine: where it begins. Default: the first state.' },
    pattern: { kind: 'text', placeholder: 'REGEX', doc: 'validator: what a text must match.' },
    expr: { kind: 'text', placeholder: 'CEL', doc: 'validator: what must be true of value.' },
    wasm: { kind: 'text', placeholder: 'PATH', doc: 'validator: the module that decides.' },
    value: { kind: 'texts', placeholder: 'NAME=VALUE', doc: 'constants: one of its values; may be repeated.' },
    connector: {
      kind: 'text',
      placeholder: 'NAME',
      doc: 'openapi, graphql, proto, wsdl: its connector. Default: the name of the file.',
    },
    client: { kind: 'flag', doc: 'openapi: a client that calls what it describes, instead of a server and flows.' },
  },
  details: `
What an option gives is written out; what is missing becomes a comment that says so. No file is overwritten.

  svc add connector stock --type http
  svc add flow create_order --from api --operation "POST /orders" --to db --target orders
  svc add type order --fields email:string:email,total:number

Of a contract (openapi, graphql, proto, wsdl) it makes a server, types and flows, and says what could not be translated:

  svc add openapi shop.yaml
  svc add graphql shop.graphql
  svc add proto orders.proto`,
  load: () => import('../commands/add.ts'),
};
