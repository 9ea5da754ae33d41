import { argument, block, reference, text } from '@svc/protocol/schema';

/** `error` has fields in `on_failure` alone. */
const reads = ['input', 'step', 'error'];

const attributes = {
  connector: reference('The connector that is asked. Without one nothing happens, and that succeeds.', 'connector'),
  operation: text(
    'What is asked: `INSERT`, `UPDATE`, `DELETE`, `POST /orders`, or a named operation. Without one the target is read.',
    { refersTo: 'operation' },
  ),
  target: argument('Table, path or queue.', { reads, refersTo: 'operation' }),
  query: text('SQL with `:name` parameters, whose values come from `params`, `where`, `set` and the payload.'),
  data: argument('Payload: columns of a row, fields of a message.', { reads }),
  body: argument('Payload of a call; it wins over `data`. A write without `data` takes it too.', { reads }),
  set: argument('Columns that an UPDATE changes; they win over those of the payload.', { reads }),
  where: argument('Rows that are meant: every column must equal its value.', { reads }),
  params: argument('Parameters of a query or a call; columns that a read compares.', { reads, keys: 'parameters' }),
  template: argument('Template of a notification.', { reads }),
  to: argument('Who receives a notification.', { reads }),
} as const;

const example =
  'connector = "db"\n  operation = "INSERT"\n  target    = "holds"\n  data      = { van_id = "input.van_id", state = "held" }';

/** The blocks that ask a connector for something, `action` and the like: all have the same words. */
export function asks(word: string, doc: string) {
  return block({ doc, attributes, example: `${word} {\n  ${example}\n}` });
}
