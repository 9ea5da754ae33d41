import { expect, test } from 'vitest';
import { serve } from '../../plan/testing/service.ts';

const passes = async (body: string, further = '') => {
  const service = await serve(
    `flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
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
