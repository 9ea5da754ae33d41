import { argument, block, cel, flag, oneOf, reference, text } from '@svc/protocol/schema';
import { formatNames } from '../../../formats/format-spec.ts';

const statementReads = ['input', 'output', 'step', 'enriched', 'captured', 'lock'];

const exec = block({
  doc: 'One statement.',
  repeated: true,
  attributes: {
    query: text('SQL with `:name` parameters.', { required: true }),
    when: cel('The statement runs only when this is true.', { reads: statementReads, gives: 'bool' }),
    capture: text(
      'Keeps one value as `captured.<name>`: the first column of the first row of a statement that answers rows; of an INSERT the primary key of the last row that it made, null when it made none; of an UPDATE or DELETE the last key made in this transaction, else null. A table whose key cannot be told is refused at start: write RETURNING.',
      {
        tells: 'captured',
        pattern: {
          source: '^[A-Za-z_][A-Za-z0-9_]*$',
          says: 'must be a name of letters, digits and underscores',
        },
      },
    ),
  },
  blocks: {
    params: block({
      doc: 'Parameters of the statement.',
      asAttribute: true,
      keys: 'parameters',
      fields: cel('Value of one parameter.', { reads: statementReads }),
    }),
  },
});

const loop = {
  doc: 'Runs its statements once per element, which is readable by its name, its position as `<name>_index`.',
  label: { name: 'name', doc: 'Name of the element.' },
  over: cel('The list.', { reads: statementReads, gives: 'list' }),
  repeated: true,
} as const;

/** Loops may stand in loops; five levels are more than anybody writes. */
const innermost = block({ ...loop, blocks: { exec } });
const fourth = block({ ...loop, blocks: { exec, each: innermost } });
const third = block({ ...loop, blocks: { exec, each: fourth } });
const second = block({ ...loop, blocks: { exec, each: third } });
const each = block({ ...loop, blocks: { exec, each: second } });

export const transaction = block({
  doc: 'Statements over one connection: all of them commit, or none.',
  reusable: true,
  blocks: { exec, each },
  example:
    'transaction {\n  exec {\n    query   = "INSERT INTO orders (customer) VALUES (:c)"\n    params  = { c = "input.customer" }\n    capture = "order_id"\n  }\n  each "line" in "input.lines" {\n    exec {\n      query  = "INSERT INTO lines (order_id, sku) VALUES (:o, :s)"\n      params = { o = "captured.order_id", s = "line.sku" }\n    }\n  }\n}',
});

const reads = ['input', 'output', 'step', 'lock'];

export const to = block({
  doc: 'Where the message goes, or what a reading flow reads. Several may be written.',
  repeated: true,
  attributes: {
    connector: reference('The destination.', 'connector', { required: true }),
    target: argument('Table, path, queue or topic; `input.x` takes it from the message.', {
      reads,
      refersTo: 'operation',
    }),
    operation: text(
      'Overrides the verb (`SELECT`, `INSERT`, `UPDATE`, `DELETE`), or names an operation of the connector.',
      { refersTo: 'operation' },
    ),
    format: oneOf('Codec of the payload and the answer.', formatNames),
    query: text('SQL with `:name` parameters, taken from the message and the payload.'),
    query_filter: argument('Filters by name; `":id"` takes the field `id` of the message.', { reads }),
    params: argument('Further parameters for the connector.', { reads, keys: 'parameters' }),
    when: cel('The write happens only when this is true.', { reads, gives: 'bool' }),
    parallel: flag('Runs beside the other destinations instead of after them.', { default: true }),
    required: flag('With several destinations: the flow fails when this one does.', { default: false }),
    envelope: text('Wraps the payload under this one key.'),
    facet: text('Facet of `dedupe` that the destination belongs to: it is written only when that part changed.'),
  },
  blocks: {
    headers: block({
      doc: 'Headers of the request; they win over those of the connector. Null sends none.',
      asAttribute: true,
      fields: cel('Value of one header.', { reads }),
    }),
    transform: block({
      doc: 'Builds the payload of this destination only.',
      fields: cel('A field of the payload.', { reads: ['input', 'output', 'step', 'enriched', 'lock'] }),
    }),
    transaction,
  },
  rules: [
    { rule: 'atMostOneOf', names: ['transaction', 'query'] },
    { rule: 'atMostOneOf', names: ['transaction', 'target'] },
    { rule: 'atMostOneOf', names: ['transaction', 'operation'] },
    { rule: 'atMostOneOf', names: ['transaction', 'envelope'] },
  ],
  unavailable: ['filter', 'update'],
  example: 'to {\n  connector = "db"\n  target    = "orders"\n}',
});
