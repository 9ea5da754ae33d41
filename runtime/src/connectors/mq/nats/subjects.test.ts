import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { placeholder } from '../../intake/broker/passed-over.ts';
import { Routes } from '../../intake/dispatch/routes.ts';
import { messageLimit } from './message-limit.ts';
import { checkPattern, checkSubject, subjectWildcards, subscriptionsOf } from './subjects.ts';
import { type Handler, NatsBed, natsUrl } from './testing/bed.ts';

const nothing: Handler = () => undefined;

describe.skipIf(natsUrl === undefined)('subjects without a stream', () => {
  let bed: NatsBed;
  let name: (suffix: string) => string;
  beforeEach(async () => {
    bed = await NatsBed.ofSubjects();
    name = (suffix) => `${bed.name}.${suffix}`;
  });
  afterEach(() => bed.close());

  test('the best match takes a message, once, though several are subscribed to', async () => {
    const flows = { [name('eu.*')]: nothing, [name('eu.new')]: nothing, [name('>')]: nothing };
    const { connector, taken } = await bed.open({}, { flows });
    expect(connector.source.events.name).toBe(name('>'));
    for (const suffix of ['eu.new', 'eu.old', 'us.x.y']) await bed.publish(['{"n":1}'], name(suffix), { a: '1' });
    await until(() => taken.length === 3);
    expect(taken.map(([flow, { subject }]) => [flow, subject])).toEqual([
      [name('eu.new'), name('eu.new')],
      [name('eu.*'), name('eu.old')],
      [name('>'), name('us.x.y')],
    ]);
    const [, input] = taken[0] as (typeof taken)[0];
    expect({ ...input, headers: { ...(input['headers'] as object) } }).toEqual({
      body: { n: 1 },
      subject: name('eu.new'),
      headers: { a: '1' },
    });
  });

  test('of a group each message goes to one member; without one everybody who listens has it', async () => {
    const members = { consumer: { queue: 'g' } };
    const [first, second] = [
      await bed.open(members, { flows: { [name('>')]: nothing } }),
      await bed.open(members, { flows: { [name('>')]: nothing } }),
    ];
    const listener = await bed.open({}, { flows: { [name('>')]: nothing } });
    await bed.publish(Array.from({ length: 50 }, (_, at) => `m${at}`));
    await until(() => first.taken.length + second.taken.length === 50 && listener.taken.length === 50);
    expect(Math.min(first.taken.length, second.taken.length)).toBeGreaterThan(0);
    // One that stops leaves the group, and the other has everything.
    await first.connector.source.stop();
    await first.connector.close();
    const before = second.taken.length;
    await bed.publish(Array.from({ length: 20 }, (_, at) => `n${at}`));
    await until(() => second.taken.length === before + 20);
  });

  test('it delivers at most once and says so: what failed is over, what came unheard is lost', async () => {
    const fail = () => {
      throw new Failure('connector_refused', 'away');
    };
    const { connector, taken } = await bed.open({}, { flows: { [bed.subject]: fail } });
    await bed.publish(['a', 'b']);
    await until(() => taken.length === 2 && connector.source.events.unsettled === 0);
    expect(bed.lines.filter(({ message }) => message === 'message failed')).toHaveLength(2);
    expect(bed.lines.filter(({ message }) => message.startsWith('messages are delivered at most once'))).toHaveLength(
      1,
    );
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(() => bed.lines.some(({ message }) => message === 'the broker is unavailable; reconnecting'));
    await bed.publish(['lost']);
    bed.proxy.fault = 'pass';
    await until(async () => {
      await bed.publish(['again']);
      return taken.some(([, { body }]) => body === 'again');
    });
    expect(taken.map(([, { body }]) => body)).not.toContain('lost');
  });

  test('A-05: as many wait as the window holds; further ones are dropped, logged once and counted', async () => {
    const waiting: (() => void)[] = [];
    const hang = () => new Promise<void>((resolve) => waiting.push(resolve));
    const written = { consumer: { queue: 'g', prefetch: 10 } };
    const { connector, taken } = await bed.open(written, { flows: { [bed.subject]: hang } });
    await bed.publish(Array.from({ length: 40 }, (_, at) => `m${at}`));
    await until(() => bed.dropped === 29);
    await until(() => {
      for (const go of waiting.splice(0)) go();
      return connector.source.events.unsettled === 0;
    });
    expect(taken.map(([, { body }]) => body)).toEqual(Array.from({ length: 11 }, (_, at) => `m${at}`));
    expect(bed.lines.filter(({ message }) => message.startsWith('messages are dropped'))).toHaveLength(1);
  });

  test('other flows are followed: what they name is subscribed to, what they do not name any more is not', async () => {
    const { taken, bind } = await bed.open({}, { flows: { [name('a')]: nothing, [name('b')]: nothing } });
    const next = bind({ [name('b')]: nothing, [name('c')]: nothing });
    await next.prepare();
    next.use();
    await until(async () => {
      await bed.publish(['x'], name('c'));
      return taken.some(([flow]) => flow === name('c'));
    });
    await bed.publish(['y'], name('a'));
    await bed.publish(['z'], name('b'));
    await until(() => taken.some(([flow]) => flow === name('b')));
    expect(taken.map(([flow]) => flow)).not.toContain(name('a'));
  });
});

test('subjects of flows and of messages', () => {
  const accepted = ['a', 'a.*.b', 'a.>', '>', '*', '*.x', 'ä.ö'];
  expect(accepted.map(checkPattern)).toEqual(accepted.map(() => undefined));
  const refused = [
    'a..b',
    '.a',
    'a.',
    'a b',
    'a.>.b',
    'a*',
    'a.b>',
    '$JS.API.>',
    '_INBOX.x',
    'x'.repeat(1025),
    'a\u0000',
  ];
  expect(refused.map((subject) => checkPattern(subject) !== undefined)).toEqual(refused.map(() => true));
  expect(['a', 'a.b'].map(checkSubject)).toEqual([undefined, undefined]);
  expect(['a.*', '>', 'a..b', '$SYS.x'].map((subject) => checkSubject(subject) !== undefined)).toEqual(
    new Array(4).fill(true),
  );
  expect(subscriptionsOf(['a.*', 'a.b', 'a.>', 'b', undefined])).toEqual(['>']);
  expect(subscriptionsOf(['a.*', 'a.b', 'a.b.>', 'b'])).toEqual(['a.*', 'a.b.>', 'b']);
});

test('`>` matches one word at least', () => {
  const routes = new Routes(['a.>', '>'], (one) => one, subjectWildcards);
  expect(['a.b', 'a.b.c', 'a', 'b'].map((key) => routes.match(key))).toEqual([['a.>'], ['a.>'], ['>'], ['>']]);
  expect(routes.takesAll).toBe(true);
});

test.each([1, 2, 3, 7, 1000])(
  'a message that is too large is passed over, wherever its bytes are divided: %i at a time',
  (step) => {
    const large = 'x'.repeat(500);
    const headers = 'NATS/1.0\r\na: b\r\n\r\n';
    const bytes = (body: string) => [
      'INFO {}\r\n',
      `MSG a 1 ${body.length}\r\n${body}\r\n`,
      'PING\r\n',
      `HMSG a.b 1 _R.x ${headers.length} ${headers.length + body.length}\r\n${headers}${body}\r\n`,
      `HMSG a.b 1 ${body.length} ${body.length + 1}\r\n${body}1\r\n`,
      '+OK\r\n',
    ];
    const rewritten = (text: string, most: number) => {
      const limit = messageLimit(most);
      const pieces: Buffer[] = [];
      for (let at = 0; at < text.length; at += step) pieces.push(limit.rewrite(Buffer.from(text.slice(at, at + step))));
      return Buffer.concat(pieces).toString();
    };
    const whole = bytes(large).join('');
    expect(rewritten(whole, 522)).toBe(whole);
    const [of500, of522, of501] = [500, 500 + headers.length, 501].map((size) => placeholder(size).toString());
    const [info, , ping, , , ok] = bytes('');
    expect(rewritten(whole, 499)).toBe(
      [
        info,
        `MSG a 1 ${of500?.length}\r\n${of500}\r\n`,
        ping,
        `HMSG a.b 1 _R.x ${headers.length} ${headers.length + (of522?.length ?? 0)}\r\n${headers}${of522}\r\n`,
        `MSG a.b 1 ${of501?.length}\r\n${of501}\r\n`,
        ok,
      ].join(''),
    );
  },
);

test('A-04: a line without an end, and more bytes than a message has, end the connection', () => {
  const problemOf = (bytes: Buffer) => {
    const limit = messageLimit(100);
    return [limit.rewrite(bytes).toString(), limit.problem?.message];
  };
  expect(problemOf(Buffer.alloc(1_100_000, 'x'))).toEqual(['', 'the server sent a line without an end']);
  expect(problemOf(Buffer.from('PING\r\nmsg a 1 92274689\r\n'))).toEqual([
    'PING\r\n',
    'the server announces more bytes than a message has',
  ]);
});
