import { type Experiment, exports, runs } from './experiment.ts';
import { flow, type Shown } from './flows.ts';
import { publishes } from './graphql.ts';

const checked = flow('validate {\n input = "a"\n }');
const field = (constraint: string, kind = 'string') => `type "a" {\n n = ${kind}({ ${constraint} })\n}\n${checked}`;
const server = 'connector "api" {\n type = "rest"\n}\n';
const sent = [{ input: { n: 'abc' } }];
const numbers = [{ input: { n: 5 } }];
const lists = [{ input: { n: ['a', 1] } }];
const empty = [{ input: { other: 1 } }];
const validator = (lines: string) => `validator "v" {\n ${lines}\n}\n${field('validator = "v"')}`;

/** A field with a word of federations, as it is published. */
const federated = (word: string, values: Experiment['values'], kind = 'string') =>
  publishes(`type "a" {\n id = id\n m = string\n n = ${kind}({ ${word} })\n}\n`, values);

export const types: Shown = {
  '*': runs(`type "a" {\n n = §\n}\n${checked}`, ['string', 'number'], sent),
  _key: publishes('type "a" {\n _key = §\n id = id\n sku = string\n}\n', ['"id"', '["id", "id sku"]']),
  _shareable: publishes('type "a" {\n _shareable = §\n id = id\n}\n', ['true', 'false']),
  _inaccessible: publishes('type "a" {\n _inaccessible = §\n id = id\n}\n', ['true', 'false']),
  _implements: publishes(
    'type "a" {\n _implements = §\n id = id\n}\ntype "one" {\n id = id\n}\ntype "two" {\n id = id\n}\n',
    ['["one"]', '["one", "two"]'],
  ),
  _description: exports(`type "a" {\n _description = §\n n = string\n}\n${server}${checked}`, ['"one"', '"two"']),
};

/** What may be written in the brackets of a field. */
export const constraints: Shown = {
  required: runs(field('required = §'), ['true', 'false'], empty),
  format: runs(field('format = §'), ['"email"', '"date"'], sent),
  pattern: runs(field('pattern = §'), ['"^a"', '"^b"'], sent),
  min_length: runs(field('min_length = §'), ['3', '4'], sent),
  max_length: runs(field('max_length = §'), ['2', '3'], sent),
  min: runs(field('min = §', 'number'), ['5', '6'], numbers),
  max: runs(field('max = §', 'number'), ['4', '5'], numbers),
  enum: runs(field('enum = §'), ['["abc"]', '["def"]'], sent),
  validator: runs(
    `validator "v" {\n type = "cel"\n expr = "true"\n}\nvalidator "w" {\n type = "cel"\n expr = "false"\n}\n${field('validator = §')}`,
    ['"v"', '"w"'],
    sent,
  ),
  items: runs(field('items = §', 'array'), ['"string"', '"number"'], lists),
  default: runs(field('required = false, default = §'), ['"x"', '"y"'], empty),
  description: exports(server + field('description = §'), ['"one"', '"two"']),
  external: federated('external = §', ['true', 'false']),
  provides: federated('provides = §', ['"id"', '["id", "m"]'], 'a'),
  requires: federated('requires = §', ['"id"', '["id", "m"]']),
  shareable: federated('shareable = §', ['true', 'false']),
  inaccessible: federated('inaccessible = §', ['true', 'false']),
  override: federated('override = §', ['"one"', '"two"']),
};

export const validators: Shown = {
  type: runs(validator('§'), ['type = "regex"\n pattern = "^b"', `type = "cel"\n expr = "value == 'abc'"`], sent),
  pattern: runs(validator('type = "regex"\n pattern = §'), ['"^a"', '"^b"'], sent),
  expr: runs(validator('type = "cel"\n expr = §'), ['"true"', '"false"'], sent),
  message: runs(validator('type = "cel"\n expr = "false"\n message = §'), ['"one"', '"two"'], sent),
};

const limited = (lines: string, values: Experiment['values'], input: Readonly<Record<string, unknown>>) =>
  runs(`security {\n ${lines}\n}\n${flow('')}`, values, [{ input }]);
const long = { n: 'x'.repeat(100) };

export const security: Shown = {
  max_input_length: limited('max_input_length = §', ['50', '500'], long),
  max_field_length: limited('max_field_length = §', ['50', '500'], long),
  max_field_depth: limited('max_field_depth = §', ['1', '5'], { n: { a: { b: { c: 1 } } } }),
  allowed_control_chars: limited('allowed_control_chars = §', ['["tab"]', '["newline"]'], { n: 'a\tb' }),
  'flow.max_input_length': limited('flow "f" {\n max_input_length = §\n }', ['50', '500'], long),
  'flow.max_field_length': limited('flow "f" {\n max_field_length = §\n }', ['50', '500'], long),
};
