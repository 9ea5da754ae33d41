import { type BlockSpec, origin, type Values } from '@svc/protocol/schema';

const nowhere = { file: 'test.hcl', range: { start: 0, end: 0 } };

/** What the code of a block reads when `written` is written in it: defaults filled in, as the decoder does. */
export function configured<S extends BlockSpec>(spec: S, written: Record<string, unknown> = {}): Values<S> {
  const values: Record<string | symbol, unknown> = {
    [origin]: { ...nowhere, parts: new Map(Object.keys(written).map((name) => [name, nowhere])) },
  };
  for (const [name, attribute] of Object.entries(spec.attributes)) values[name] = written[name] ?? attribute.default;
  for (const [name, block] of Object.entries(spec.blocks)) {
    const given = written[name];
    if (given === undefined) values[name] = block.repeated ? [] : undefined;
    else if (Array.isArray(given)) values[name] = given.map((each) => configured(block, each));
    else values[name] = configured(block, given as Record<string, unknown>);
  }
  if (spec.label) values['label'] = written['label'];
  if (spec.fields) {
    values['fields'] = Object.entries(written).map(([name, value]) => ({ name, value, origin: nowhere }));
  }
  return values as Values<S>;
}
