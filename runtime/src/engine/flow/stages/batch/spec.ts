import { argument, block, cel, int, oneOf, reference, text } from '@svc/protocol/schema';

const to = block({
  doc: 'Where each row is written.',
  required: true,
  attributes: {
    connector: reference('The destination.', 'connector', { required: true }),
    target: argument('Table, path, queue or topic; `input.x` takes it from the row.', {
      reads: ['input', 'output'],
      refersTo: 'operation',
      atConnector: true,
    }),
    operation: text(
      'What is done with each row: `INSERT`, `UPSERT`, `UPDATE`, `DELETE`, or an operation of the connector.',
      {
        default: 'INSERT',
        refersTo: 'operation',
      },
    ),
  },
  dependent: { by: 'connector', at: 'batch', reads: ['input', 'output'] },
});

export const batch = block({
  doc: 'Reads many rows in chunks and writes each of them. It takes the place of steps, transform and `to`.',
  attributes: {
    source: reference('The database, or the connector of files, that is read.', 'connector', { required: true }),
    query: text(
      'Of a database: SQL with `:name` parameters; it needs a stable order, since its pages are read one by one.',
    ),
    target: argument('Of files: the file that is read, however large it is; `input.x` takes it from the message.', {
      reads: ['input'],
      atConnector: true,
    }),
    operation: text('Of files: `read`, or an operation of the connector that reads.', { refersTo: 'operation' }),
    params: argument('Parameters of the query or the operation.', { reads: ['input'], keys: 'parameters' }),
    chunk_size: int('Rows of one page.', { default: 100, min: 1, max: 100_000 }),
    concurrency: int('Rows of a chunk that are written concurrently; 1 keeps their order.', {
      default: 1,
      min: 1,
      max: 1000,
    }),
    on_error: oneOf(
      'When a row cannot be written: `stop` fails the flow, `continue` skips the chunk, counts its rows and continues with the next chunk. A chunk is then one transaction if the destination has transactions, so that it is rolled back completely; otherwise the rows that were written stay.',
      ['stop', 'continue'],
      { default: 'stop' },
    ),
  },
  blocks: {
    transform: block({
      doc: 'Builds the payload of each row; the row is `input`, the message of the flow `input._batch_input`.',
      fields: cel('A field of the payload.', { reads: ['input', 'output'] }),
    }),
    to,
  },
  rules: [
    { rule: 'atLeastOneOf', names: ['query', 'target', 'operation'] },
    { rule: 'atMostOneOf', names: ['query', 'target'] },
    { rule: 'atMostOneOf', names: ['query', 'operation'] },
  ],
  example:
    'batch {\n  source     = "db"\n  query      = "SELECT id, total FROM orders ORDER BY id"\n  chunk_size = 500\n  transform {\n    order_id = "input.id"\n    cents    = "int(input.total * 100.0)"\n  }\n  to {\n    connector = "db"\n    target    = "totals"\n  }\n}',
});
