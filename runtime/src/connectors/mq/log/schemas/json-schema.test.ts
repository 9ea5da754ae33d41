import { describe, expect, test } from 'vitest';
import { jsonSchema } from './json-schema.ts';

const schemaOf = (schema: unknown, referred: readonly { name: string; text: string }[] = []) =>
  jsonSchema({ type: 'JSON', text: JSON.stringify(schema), referred });

describe('a value of JSON Schema', () => {
  test.each([
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
    undefined,
  ])('is checked by the generation of the language that the schema names: %s', async ($schema) => {
    const schema = await schemaOf({ ...($schema && { $schema }), title: 'Order', required: ['id'] });
    expect(schema.name).toBe('Order');
    expect(String(schema.write({ id: 1 }))).toBe('{"id":1}');
    expect(() => schema.write({})).toThrow("the value must have required property 'id'");
    await expect(schema.read(Buffer.from('{}'))).rejects.toMatchObject({ code: 'body_undecodable' });
  });

  test('knows the schemas that it refers to, and its own parts', async () => {
    const money = { name: 'money.json', text: '{"type":"object","properties":{"cents":{"type":"integer"}}}' };
    const schema = await schemaOf(
      { properties: { a: { $ref: 'money.json' }, b: { $ref: '#/$defs/t' } }, $defs: { t: { type: 'string' } } },
      [money],
    );
    expect(() => schema.write({ a: { cents: 'x' } })).toThrow('a.cents must be integer');
    expect(() => schema.write({ b: 1 })).toThrow('b must be string');
  });

  test('keeps whole numbers beyond 2^53, which count as integers', async () => {
    const schema = await schemaOf({ properties: { list: { items: { type: 'integer', minimum: 1 } } } });
    expect(await schema.read(Buffer.from('{"list":[9007199254740993]}'))).toEqual({ list: [9007199254740993n] });
  });

  test('is refused by what is sent: one that JSON has as a text is a text', async () => {
    const schema = await schemaOf({ type: 'integer' });
    expect(() => schema.write(9007199254740993n)).toThrow('the value must be integer');
  });

  test('R-75: that is not JSON, or nested without end, is refused', async () => {
    const schema = await schemaOf(true);
    await expect(schema.read(Buffer.from('{'))).rejects.toMatchObject({ code: 'body_undecodable' });
    await expect(schema.read(Buffer.from('['.repeat(500)))).rejects.toMatchObject({ code: 'body_undecodable' });
  });

  test.each([
    ['{'],
    ['{"type":5}'],
    ['{"$ref":"other.json"}'],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}'],
  ])('of a text that is not a known schema cannot be: %s', async (text) => {
    await expect(jsonSchema({ type: 'JSON', text, referred: [] })).rejects.toThrow();
  });
});
