import { describe, expect, test } from 'vitest';
import { bodyInWords, endpointBodies } from './bodies.ts';
import { EndpointBody } from './body.ts';
import { endpointBlocks } from './spec.ts';

const written = { email: 'ana@example.test', password: 'p', device_id: 7, metadata: {}, constructor: 'x' };

describe('what an endpoint reads is what is documented of it', () => {
  const body = new EndpointBody(written, endpointBodies.login);

  test('its members are read as their kind', () => {
    expect([body.text('email'), body.text('password')]).toEqual(['ana@example.test', 'p']);
    expect(() => body.optionalText('device_id')).toThrow('`device_id` must be a text.');
  });

  test.each([
    ['one that is not documented', () => body.optionalObject('metadata')],
    ['a member of every object', () => body.text('constructor')],
    ['one of another kind', () => body.optionalObject('email')],
    ['an optional one as required', () => body.text('device_id')],
    ['a required one as optional', () => body.optionalText('email')],
  ])('%s cannot be read', (_, read) => {
    expect(read).toThrow('otherwise than endpoints/bodies.ts says');
  });

  test('the page of each endpoint tells its body', () => {
    for (const [name, { doc }] of Object.entries(endpointBlocks)) {
      if (name === 'forgot_password') continue;
      const words = bodyInWords(endpointBodies[name as keyof typeof endpointBodies]);
      expect(doc.includes('Its body')).toBe(words !== '');
      expect(doc).toContain(words);
    }
    expect(bodyInWords(endpointBodies.register)).toBe(
      '`email`, `password`, `name` (optional), `metadata` (object, optional)',
    );
  });
});
