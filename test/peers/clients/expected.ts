const order = { id: 7, customer: 'Grüße 🎈', quantity: 2, price: 0.1, paid: true };
const graphOrder = { ...order, id: '7', kind: 'CLOSED', tags: ['a', 'b'] };

/** What every client has to find, whatever its language. */
export const expected = {
  'rest: an order': { status: 201, body: { order, tags: ['a', 'b'], nothing: null } },
  'rest: a refused field': {
    status: 400,
    body: {
      error: 'the message does not match type "order": quantity must be at least 1',
      code: 'input_invalid',
      fields: [{ field: 'quantity', code: 'min', message: 'must be at least 1' }],
    },
  },
  'rest: an unknown path': { status: 404, body: { error: 'nothing is served at /nowhere', code: 'not_found' } },
  'rest: a caller that leaves': 'timed out',
  'rest: twenty streams of HTTP/2': {
    versions: ['HTTP/2'],
    quantities: Array.from({ length: 20 }, (_, at) => at + 1),
  },
  'graphql: a query with variables': { order: { ...graphOrder, note: null } },
  'graphql: an error of a flow': {
    data: { refused: null },
    errors: [
      {
        message: 'no such order',
        path: ['refused'],
        extensions: { code: 'flow_failed', status: 404, body: { message: 'no such order' } },
      },
    ],
  },
  'graphql: a mutation': { place: { id: '7', note: 'by hand' } },
  'graphql: an event of a subscription': { placed: { id: '7', kind: 'CLOSED', tags: ['a', 'b'] } },
  'grpc: a message of every kind': { isSame: true, hasNote: true },
  'grpc: a stream of the server': [1, 2, 3].map((quantity) => ['9007199254740993', quantity]),
  'grpc: a stream of the client': { count: 3, customers: ['ana', 'ben', 'eva'] },
  'grpc: a status of a flow': { status: 'ABORTED', message: 'ana is asleep' },
  'grpc: a method without a flow': {
    status: 'UNIMPLEMENTED',
    message: 'The server does not implement the method /orders.Desk/Absent',
  },
  'grpc: a deadline': { status: 'DEADLINE_EXCEEDED' },
  'grpc: a call that is cancelled': { status: 'CANCELLED' },
  'grpc: services by reflection': ['orders.Desk'],
  'grpc: its health': 'SERVING',
  'soap: an order': { ...order, id: '9007199254740993', note: '<by hand>' },
  'soap: a fault with the refused fields': { code: 'Client', names: ['quantity'], codes: ['input_invalid', 'min'] },
  'websocket: an answer': { type: 'message', data: { said: 'Grüße 🎈', long: 7 } },
  'websocket: bytes': { type: 'message', data: { size: 3 } },
  'websocket: a refused message': { type: 'error', code: 'input_invalid' },
  'websocket: a ping and an orderly end': { code: 1000 },
  'sse: events of a room': [{ text: 'one' }, { text: 'two: Grüße 🎈' }],
  'sse: what was missed': { text: 'three' },
} as const satisfies Readonly<Record<string, unknown>>;

export type Check = keyof typeof expected;
