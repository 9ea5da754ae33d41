import { block, cel, text } from '@svc/protocol/schema';

const statementReads = ['input', 'output', 'step', 'enriched', 'captured', 'lock'];

const exec = block({
  doc: 'One statement.',
  repeated: true,
  attributes: {
    query: text('SQL with `:name` parameters; of MongoDB a command in JSON, in which `":name"` is a parameter.', {
      required: true,
    }),
    when: cel('The statement runs only when this is true.', { reads: statementReads, gives: 'bool' }),
    capture: text(
      'Keeps one value as `captured.<name>`: the first column of the first row of a statement that answers rows; of an INSERT the primary key of the last row that it made, null when it made none; of an UPDATE or DELETE the last key made in this transaction, else null. A table whose key cannot be determined is refused at start: write RETURNING.',
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

/** Loops may be nested; five levels are more than any configuration needs. */
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
