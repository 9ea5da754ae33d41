import { expect, test } from 'vitest';
import { client, type Debugged, debugged, fine } from './testing/debugged.ts';

const gated = (gate: string) => fine.replace('  transform {', `${gate}\n  transform {`);
const accept = gated('  accept {\n    when = "input.n > 1.0"\n  }');
const filter = fine.replace('"POST /x"', '"POST /x"\n    filter = "input.n > 1.0"');
const guard = gated(`  sequence_guard {
    storage {
      driver = "memory"
    }
    key      = "'k'"
    sequence = "int(input.n)"
  }`);

/** Delivers messages one after another, and gives the stops that they made. */
async function stopsOf(service: Debugged, gates: string[], capabilities: string[], ...inputs: number[]) {
  const wire = await client(service, capabilities);
  const stops: unknown[] = [];
  wire.on('event.stopped', ({ threadId, stage, rule, reason, message }) => {
    stops.push([stage, rule?.index, reason, message]);
    void wire.call('debug.continue', { threadId });
  });
  await wire.call('debug.setDropBreakpoints', { gates });
  const outcomes: string[] = [];
  for (const n of inputs) outcomes.push((await service.deliver('f', { n })).kind);
  return { stops, outcomes };
}

test.each([
  ['accept', accept],
  ['filter', filter],
])('a message that %s turns away stops there, and is dropped when it continues', async (gate, configuration) => {
  const { stops, outcomes } = await stopsOf(await debugged(configuration), [gate], ['drop'], 1, 2);
  expect(stops).toEqual([[gate, undefined, 'drop', expect.stringContaining('input.n > 1.0')]]);
  expect(outcomes).toEqual(['drop', 'reply']);
});

test('a message that a sequence guard turns away stops there', async () => {
  const { stops, outcomes } = await stopsOf(await debugged(guard), ['*'], ['drop'], 2, 1);
  expect(stops).toEqual([
    ['sequence_guard', undefined, 'drop', expect.stringMatching(/^sequence_older: int\(input\.n\) \(\w+\)$/)],
  ]);
  expect(outcomes).toEqual(['reply', 'drop']);
});

test('other gates do not stop, and old clients read the nearest reason', async () => {
  expect(await stopsOf(await debugged(accept), ['filter'], ['drop'], 1)).toEqual({ stops: [], outcomes: ['drop'] });
  const { stops } = await stopsOf(await debugged(accept), ['*'], [], 1);
  expect(stops).toEqual([['accept', undefined, 'breakpoint', expect.any(String)]]);
});

test('what one of several connectors answers is data, also where it has the fields of a drop', async () => {
  const drop = { kind: 'drop', reason: 'filter', policy: 'ack', expression: 'true', messageId: '' };
  const two = fine.replace(/ {2}to \{.*?\n {2}\}/s, (to) => `${to}\n${to.replace('"t"', '"u"')}`);
  const service = await debugged(two, { answer: () => ({ rows: [drop] }) });
  expect(await stopsOf(service, ['*'], ['drop'], 1)).toEqual({ stops: [], outcomes: ['reply'] });
});
