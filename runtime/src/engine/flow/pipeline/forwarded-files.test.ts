import { describe, expect, test } from 'vitest';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import { serve } from '../../plan/testing/service.ts';

const passes = async (body: string, further = '') => {
  const service = await serve(
    `flow "f" {
  from {
    connector = "api"
    operation = "${body.includes('to {') ? 'POST' : 'GET'} /x"
  }
  step "file" {
    connector = "peer"
    operation = "GET /file"
  }
  ${body}
}
${further}`,
    { answer: () => ({ value: { filename: 'f', content_type: 'x/y', size: 1, data: 'eA==', x: 'x' } }) },
  );
  await service.deliver('f', {});
  return service.calls.map(({ description }) => description.once)[0];
};
const sent = (more = '') => `response {\n _binary = "step.file"\n ${more}\n }`;

test.each([
  ['the answer', sent(), ''],
  [
    'the answer, and its label',
    sent('_filename = "step.file.filename"\n _content_type = "step.file.content_type"'),
    '',
  ],
  [
    'the answer, beside other steps',
    `step "b" {\n connector = "peer"\n operation = "GET /b"\n }\n${sent('x = "step.b.x"')}`,
    '',
  ],
])('a file that is only %s is streamed', async (_, body, further) => {
  expect(await passes(body, further)).toBe(true);
});

const aspect = (body: string) => `aspect "a" {\n on = ["f"]\n when = "after"\n ${body}\n}`;

test.each([
  ['whose size is read', sent('size = "step.file.size"'), ''],
  ['whose data is read', sent('data = "step.file.data"'), ''],
  ['that is in the answer twice', sent('again = "step.file"'), ''],
  ['that an expression chooses', 'response {\n _binary = "true ? step.file : step.file"\n }', ''],
  ['whose step is read as a whole', sent('all = "step"'), ''],
  ['that no answer of bytes has', 'response {\n file = "step.file"\n }', ''],
  ['of a flow that is retried', `error_handling {\n retry {\n attempts = 2\n }\n }\n${sent()}`, ''],
  [
    'of a flow that drops entries of a cache when it has answered',
    `after {\n invalidate {\n storage = "cache"\n keys = ["k"]\n }\n }\n${sent()}`,
    'connector "cache" {\n type = "cache"\n driver = "memory"\n}',
  ],
  [
    'of a flow whose answers are cached',
    `cache {\n storage = "cache"\n key = "k"\n ttl = "1m"\n }\n${sent()}`,
    'connector "cache" {\n type = "cache"\n driver = "memory"\n}',
  ],
  [
    'that an aspect reads',
    sent(),
    aspect('action {\n connector = "peer"\n operation = "POST /a"\n transform {\n a = "result.data"\n }\n }'),
  ],
])('a file %s is kept', async (_, body, further) => {
  expect(await passes(body, further).catch((error: unknown) => String(error))).toBe(false);
});

const stored = (more = '') =>
  `step "stored" {\n connector = "peer"\n operation = "PUT /a"\n params = {\n content = "step.file"\n ${more}\n }\n }`;
const answer = 'response {\n ok = "step.stored.x"\n }';

describe('a file that a target takes', () => {
  test.each([
    ['in a step', `${stored()}\n${answer}`],
    ['in a step, under its name', `${stored('path = "step.file.filename"')}\n${answer}`],
    ['in a destination', 'transform {\n _binary = "step.file"\n }\n to {\n connector = "peer"\n target = "/a"\n }'],
    [
      'in a destination of its own fields',
      'to {\n connector = "peer"\n target = "/a"\n transform {\n _binary = "step.file"\n }\n }',
    ],
  ])('%s is forwarded', async (_, body) => {
    expect(await passes(body)).toBe(true);
  });

  test.each([
    ['twice', `${stored()}\n${stored().replace('"stored"', '"again"')}\n${answer}`],
    ['and the answer has', `${stored()}\n${sent()}`],
    ['and no answer is written of', stored()],
    ['and the answer is of', `${stored()}\nresponse {\n all = "output"\n }`],
    ['whose size is read', `${stored('size = "step.file.size"')}\n${answer}`],
    ['in another field', `${stored().replace('content', 'other')}\n${answer}`],
    ['of a flow that is tried again', `error_handling {\n retry {\n attempts = 2\n }\n }\n${stored()}\n${answer}`],
    [
      'that takes all its bytes',
      'transform {\n _binary = "step.file"\n }\n to {\n connector = "db"\n target = "a"\n }',
    ],
  ])('%s is kept', async (_, body) => {
    expect(await passes(body).catch((error: unknown) => String(error))).toBe(false);
  });
});

/** Whether the file in the field `body` of the message is forwarded. */
async function forwards(body: string, further = '', probe?: FlowProbe): Promise<boolean> {
  const service = await serve(
    `flow "f" {\n from {\n connector = "api"\n operation = "POST /x"\n }\n ${body}\n}\n${further}`,
    probe && { probe },
  );
  const [binding] = service.bindings('api');
  expect(binding?.forwards?.('other') ?? false).toBe(false);
  return binding?.forwards?.('body') ?? false;
}
const taken = (more = '') => stored(more).replace('step.file', 'input.body');
const row = 'to {\n connector = "db"\n target = "a"\n }';

describe('a file of the message', () => {
  test.each([
    ['a step takes', `${taken()}\n${answer}`],
    ['a step takes, by its type', `${taken('type = "input.body.content_type"')}\n${answer}`],
    ['a destination takes', 'transform {\n _binary = "input.body"\n }\n to {\n connector = "peer"\n target = "/a"\n }'],
    ['a step takes before a row is written', `${taken()}\ntransform {\n a = "step.stored.x"\n }\n${row}`],
    ['a gate lets through', `accept {\n when = "input.name == 'a'"\n }\n${taken()}\n${answer}`],
  ])('that %s is forwarded', async (_, body) => {
    expect(await forwards(body)).toBe(true);
  });

  test.each([
    ['no place takes', 'response {\n ok = "true"\n }', ''],
    ['only the answer has', 'response {\n _binary = "input.body"\n }', ''],
    ['an expression measures', `${taken('size = "input.body.size"')}\n${answer}`, ''],
    ['is a part of what is read', `${taken()}\nresponse {\n all = "input"\n }`, ''],
    ['is written with the whole message', `${taken()}\n${row}`, ''],
    [
      'a statement may name',
      `${taken()}\ntransform {\n a = "1"\n }\nto {\n connector = "db"\n query = "INSERT INTO a VALUES (:body)"\n }`,
      '',
    ],
    [
      'several destinations may take',
      `transform {\n _binary = "input.body"\n }\nto {\n connector = "peer"\n target = "/a"\n }\nto {\n connector = "peer"\n target = "/b"\n }`,
      '',
    ],
    [
      'a fallback is sent',
      `error_handling {\n fallback {\n connector = "db"\n target = "failed"\n }\n }\n${taken()}\n${answer}`,
      '',
    ],
    [
      'is checked by a type',
      `validate {\n input = "file"\n }\n${taken()}\n${answer}`,
      'type "file" {\n name = string\n}',
    ],
    [
      'an aspect may read',
      `${taken()}\n${answer}`,
      aspect('action {\n connector = "peer"\n operation = "POST /a"\n transform {\n a = "1"\n }\n }'),
    ],
    [
      'is compared with what was written before',
      `dedupe {\n cache = "memory"\n key = "input.name"\n ttl = "1m"\n fingerprint {\n a = "input.name"\n }\n }\ntransform {\n _binary = "input.body"\n }\nto {\n connector = "peer"\n target = "/a"\n }`,
      '',
    ],
  ])('that %s is kept', async (_, body, further) => {
    expect(await forwards(body, further)).toBe(false);
  });

  test('is kept while a debugger is attached, which may look at it', async () => {
    const probe = {
      attached: false,
      begin: () => undefined,
      enter: () => undefined,
      leave: () => undefined,
      end: () => undefined,
    };
    const flow = `${taken()}\n${answer}`;
    expect(await forwards(flow, '', probe)).toBe(true);
    probe.attached = true;
    expect(await forwards(flow, '', probe)).toBe(false);
  });
});
