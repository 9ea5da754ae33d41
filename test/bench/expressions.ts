import { createHash } from 'node:crypto';
import { createCelEngine } from '@svc/protocol/cel';

/** One expression beside the JavaScript that a person would write for it. */
export interface ExpressionFigure {
  readonly name: string;
  readonly nanoseconds: number;
  readonly byHand: number;
  /** How many times the time of the hand-written code. */
  readonly ratio: number;
}

interface Input {
  readonly total: number;
  readonly count: number;
  readonly status: string;
  readonly region: string;
  readonly name: string;
  readonly customer?: { readonly name: string };
  readonly items: readonly { readonly price: number; readonly quantity: number; readonly sku: string }[];
}

const cases: readonly { readonly name: string; readonly source: string; readonly byHand: (input: Input) => unknown }[] =
  [
    {
      name: 'filter',
      source: "input.total > 100 && input.status == 'active' && input.region in ['eu', 'us']",
      byHand: (input) => input.total > 100 && input.status === 'active' && ['eu', 'us'].includes(input.region),
    },
    {
      name: 'map over 20',
      source: 'input.items.map(x, x.price * 2)',
      byHand: (input) => input.items.map((x) => x.price * 2),
    },
    {
      name: 'map to maps over 20',
      source: "input.items.map(x, {'sku': x.sku, 'total': x.price * x.quantity})",
      byHand: (input) => input.items.map((x) => ({ sku: x.sku, total: x.price * x.quantity })),
    },
    {
      name: 'exists over 20',
      source: 'input.items.exists(x, x.price > 1000)',
      byHand: (input) => input.items.some((x) => x.price > 1000),
    },
    { name: 'field', source: 'input.total', byHand: (input) => input.total },
    {
      name: 'arithmetic',
      source: 'input.total * 1.21 + input.count',
      byHand: (input) => input.total * 1.21 + input.count,
    },
    { name: 'text', source: 'lower(trim(input.name))', byHand: (input) => input.name.trim().toLowerCase() },
    { name: 'concatenation', source: "'order:' + input.status", byHand: (input) => `order:${input.status}` },
    { name: 'fallback', source: "input.customer.name ?? 'guest'", byHand: (input) => input.customer?.name || 'guest' },
    {
      name: 'regular expression',
      source: "input.status.matches('^[a-z]+$')",
      byHand: (input) => /^[a-z]+$/.test(input.status),
    },
  ];

/** Messages of different shapes, as a service sees them. */
const activations = [150, 50, 320].map((total, at) => ({
  input: JSON.parse(
    JSON.stringify({
      ...(at === 1 ? { note: 'x' } : {}),
      total,
      count: at,
      status: 'active',
      region: at === 2 ? 'us' : 'eu',
      name: '  Ada Lovelace ',
      items: Array.from({ length: 20 }, (_, item) => ({ price: item + 0.5, quantity: 2, sku: `s${item}` })),
    }),
  ) as Input,
}));

/** Measures every expression of the list; medians of several runs. */
export async function run(): Promise<readonly ExpressionFigure[]> {
  const engine = createCelEngine({
    environment: {
      now: () => Date.now(),
      uuid: () => crypto.randomUUID(),
      env: (name) => process.env[name],
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
  });
  return cases.map(({ name, source, byHand }) => {
    const compiled = engine.compile(source);
    if (!compiled.ok) throw new Error(`${source}: ${compiled.problems[0]?.message}`);
    const { program } = compiled;
    const [ours, theirs] = measure(
      (at) => program.evaluate(activations[at] as object),
      (at) => byHand(activations[at]?.input as Input),
    );
    return { name, nanoseconds: ours, byHand: theirs, ratio: ours / theirs };
  });
}

/** Nanoseconds a call of two functions, measured in turns so that both meet the same noise. */
function measure(first: (at: number) => unknown, second: (at: number) => unknown): readonly [number, number] {
  const times: [number[], number[]] = [[], []];
  const count = Math.max(Math.round(10_000_000 / (elapsed(first, 2_000) / 2_000)), 1_000);
  elapsed(second, 2_000);
  for (let round = 0; round < 9; round++) {
    times[0].push(elapsed(first, count) / count);
    times[1].push(elapsed(second, count) / count);
  }
  return [median(times[0]), median(times[1])];
}

function elapsed(work: (at: number) => unknown, count: number): number {
  // Results are compared, so that the work cannot be left out.
  let last: unknown;
  const start = process.hrtime.bigint();
  for (let at = 0; at < count; at++) {
    const result = work(at % 3);
    if (result !== last) last = result;
  }
  return Number(process.hrtime.bigint() - start);
}

function median(times: readonly number[]): number {
  return times.toSorted((one, two) => one - two)[times.length >> 1] as number;
}

if (import.meta.main) {
  for (const { name, nanoseconds, byHand, ratio } of await run())
    console.log(
      `${name.padEnd(22)}${nanoseconds.toFixed(1).padStart(9)} ns${byHand.toFixed(1).padStart(9)} ns by hand  ${ratio.toFixed(1)}x`,
    );
}
