// What the debugger costs: without a client, with a client that only listens, and while a thread is held.
import type { Channel } from '@svc/protocol/wire';
import { textFrames } from '../../runtime/src/service/debug/connection/text-frames.ts';
import { entryPoint, moreRules, timed, withDebugger, withoutDebugger } from './debugger/service.ts';
import { echoTrips, nextTrips, readBare, readEvents } from './debugger/sockets.ts';
import { median } from './load.ts';

/** A client of this process: events become the frames that a socket would take, which go nowhere. */
async function listener() {
  const gone = Promise.withResolvers<void>();
  let take: (text: string) => void = () => undefined;
  let kept: string[] | undefined;
  let answered: (() => void) | undefined;
  let texts: string[] = [];
  const channel: Channel = {
    send: (text) => {
      kept?.push(text);
      answered?.();
      answered = undefined;
      if (texts.length === 0)
        setImmediate(() => {
          textFrames(texts);
          texts = [];
        });
      texts.push(text);
    },
    receive: (taken) => (take = taken),
    close: () => gone.resolve(),
    closed: gone.promise,
  };
  await entryPoint.connect(channel);
  const call = (method: string, params: object) =>
    new Promise<void>((resolve) => {
      answered = resolve;
      take(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
  await call('debug.attach', {});
  return {
    call,
    received: async (work: () => unknown): Promise<readonly string[]> => {
      kept = [];
      await work();
      const all = kept;
      kept = undefined;
      return all;
    },
    leave: async () => {
      channel.close();
      await channel.closed;
    },
  };
}

/** Medians of nanoseconds of several works, measured in turns. */
async function compared<K extends string>(
  works: Readonly<Record<K, () => unknown>>,
  rounds: number,
  count: number,
): Promise<Readonly<Record<K, number>>> {
  const names = Object.keys(works) as K[];
  const all = new Map<K, number[]>(names.map((name) => [name, []]));
  for (const name of names) await timed(works[name], count);
  for (let round = 0; round < rounds; round++)
    for (const name of names) all.get(name)?.push(await timed(works[name], count));
  return Object.fromEntries([...all].map(([name, times]) => [name, median(times)])) as Record<K, number>;
}

const micro = (nanoseconds: number, digits = 1) => `${(nanoseconds / 1_000).toFixed(digits)} µs`;
const many = (number: number) => Math.round(number).toLocaleString('en');
const times = (ours: number, theirs: number) => `${(ours / theirs).toFixed(2)} times`;

const idle = await compared({ plain: withoutDebugger.many, idle: withDebugger.many }, 41, 8_000);
console.log(
  `  no client attached: ${idle.idle.toFixed(0)} ns a flow, without a debugger ${idle.plain.toFixed(0)} ns, ` +
    `${times(idle.idle, idle.plain)}`,
);

const client = await listener();
const eventsOfOne = (await client.received(withDebugger.one)).map((text) => JSON.parse(text) as unknown);
const textsOfMany = await client.received(withDebugger.many);
const attached = await compared(
  {
    plainOne: withoutDebugger.one,
    plainMany: withoutDebugger.many,
    one: withDebugger.one,
    many: withDebugger.many,
    stringify: () => void eventsOfOne.map((event) => JSON.stringify(event)),
  },
  15,
  2_000,
);
const flowCost = attached.one - attached.plainOne;
const ruleCost = (attached.many - attached.plainMany - flowCost) / moreRules;
console.log(
  `  attached, no breakpoints: ${micro(flowCost)} more for a flow of one rule with its ${eventsOfOne.length} events, ` +
    `${micro(ruleCost, 2)} for each further rule; JSON.stringify of these events alone ${micro(attached.stringify)}, ` +
    `${times(flowCost, attached.stringify)}`,
);

/** Measured beside the same flow without it, so that it is set and taken away in turns. */
async function conditionCost(): Promise<number> {
  const costs: number[] = [];
  const set = (breakpoints: readonly object[]) => client.call('debug.setBreakpoints', { flow: 'many', breakpoints });
  const each = Array.from({ length: moreRules }, (_, ruleIndex) => ({
    stage: 'response',
    ruleIndex,
    condition: 'input.n > 100.0',
  }));
  for (let round = 0; round < 15; round++) {
    await set([]);
    const without = await timed(withDebugger.many, 2_000);
    await set(each);
    costs.push((await timed(withDebugger.many, 2_000)) - without);
  }
  await set([]);
  return median(costs) / moreRules;
}
const conditional = await conditionCost();
console.log(`  a condition that does not hold: ${micro(conditional, 2)} each time it is asked`);
await client.leave();

const read = await readEvents(6);
const bare = await readBare(6, textsOfMany);
console.log(
  `  events to a client that reads: ${many(read.rate)}/s with ${micro(read.cost)} for a flow of ${textsOfMany.length} events, ` +
    `${(read.left * 100).toFixed(0)} left out for 100 read; bare socket, the same texts ready made ${many(bare.rate)}/s, ` +
    `${times(read.rate, bare.rate)}`,
);

const [next, echo] = [await nextTrips(), await echoTrips()];
console.log(
  `  debug.next to the next stop: ${next.median.toFixed(0)} µs, p99 ${next.p99.toFixed(0)} µs; ` +
    `bare socket, an echo ${echo.median.toFixed(0)} µs, p99 ${echo.p99.toFixed(0)} µs, ${times(next.median, echo.median)}`,
);
