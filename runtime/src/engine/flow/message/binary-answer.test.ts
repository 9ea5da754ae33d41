import { expect, test } from 'vitest';
import { serve } from '../../plan/testing/service.ts';

const binaryOf = async (body: string) => {
  const service = await serve(`flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  ${body}
}`);
  return service.bindings('api')[0]?.binary;
};
const to = 'to {\n connector = "db"\n target = "t"\n }';

test.each<[string, string, 'configuration' | 'data' | undefined]>([
  ['no block', to, undefined],
  ['a response', `${to}\nresponse {\n _binary = "output.content"\n }`, 'configuration'],
  ['a constant type', 'response {\n _binary = "input.a"\n _content_type = "\'image/png\'"\n }', 'configuration'],
  ['a type of data', 'response {\n _binary = "input.a"\n _content_type = "input.type"\n }', 'data'],
  ['a type made of data', 'response {\n _binary = "\'\'"\n _content_type = "\'image/\' + input.type"\n }', 'data'],
  ['a transform that answers', 'transform {\n _binary = "input.a"\n }', 'configuration'],
  ['a transform of rows', `${to}\ntransform {\n _binary = "output.a"\n _content_type = "output.b"\n }`, 'data'],
  ['a response instead of it', 'transform {\n _binary = "input.a"\n }\nresponse {\n a = "output.b"\n }', undefined],
  [
    'a status beside it',
    'transform {\n _binary = "input.a"\n }\nresponse {\n http_status_code = "201"\n }',
    'configuration',
  ],
])('%s', async (_, body, type) => {
  expect(await binaryOf(body)).toEqual(type && { type });
});

test('the payload of a write is not its answer', async () => {
  const service = await serve(`flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  ${to}
  transform {
    _binary = "input.a"
  }
}`);
  expect(service.bindings('api')[0]?.binary).toBeUndefined();
});
