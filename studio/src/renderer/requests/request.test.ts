import { describe, expect, test } from 'vitest';
import { bodyOf, jsonProblem, shownBody } from './body.ts';
import { fillRequest, variablesIn } from './fill.ts';
import { type Request, readRequest, writeRequest } from './request.ts';

const create: Request = { method: 'POST', url: '{{base}}/orders', headers: {}, body: { item: 'KB-204' } };
const base = 'http://localhost:3000';

describe('the file of a request', () => {
  test('what is written is read again', () => {
    for (const request of [create, { ...create, variables: { id: '7' } }, { ...create, body: 'a text' }])
      expect(readRequest(writeRequest(request))).toEqual(request);
    expect(writeRequest({ method: 'GET', url: '{{base}}/a', headers: { a: 'b' } })).toBe(
      '{\n  "method": "GET",\n  "url": "{{base}}/a",\n  "headers": {\n    "a": "b"\n  },\n  "body": ""\n}\n',
    );
  });

  test('an empty body counts as absent, and a missing method is GET', () => {
    expect(readRequest('{ "url": "{{base}}/a", "body": "" }')).toEqual({
      method: 'GET',
      url: '{{base}}/a',
      headers: {},
    });
    expect(readRequest('{ "url": "/", "method": "purge" }').method).toBe('PURGE');
  });

  test.each([
    ['{', /^The file is not JSON: /],
    ['[]', 'A request is an object with "method", "url", "headers" and "body".'],
    ['{}', '"url" is missing: the address to send to, such as "{{base}}/orders".'],
    ['{"url": "a", "method": "GET IT"}', '"method" is a word such as GET or POST.'],
    ['{"url": "a", "header": {}}', 'A request has no member header.'],
    ['{"url": "a", "headers": []}', '"headers" is an object of texts.'],
    ['{"url": "a", "headers": {"n": 1}}', '"n" in "headers" is a text.'],
    ['{"url": "a", "variables": {"n": null}}', '"n" in "variables" is a text.'],
  ])('%s is refused', (text, message) => {
    expect(() => readRequest(text)).toThrow(message);
  });
});

describe('filling in variables', () => {
  test('base is the service; JSON gets its content type; what is in the address is encoded', () => {
    const request = { ...create, url: '{{base}}/orders/{{ id }}?by={{who}}', variables: { id: 'a/b', who: 'x&y' } };
    expect(variablesIn(request)).toEqual(['base', 'id', 'who']);
    expect(fillRequest(request, 'http://localhost:3000/')).toEqual({
      method: 'POST',
      url: 'http://localhost:3000/orders/a%2Fb?by=x%26y',
      headers: { 'content-type': 'application/json' },
      body: '{"item":"KB-204"}',
    });
  });

  test('a value stays inside the text of the JSON that it is in; in a text it is put as it is', () => {
    const variables = { name: 'a "b"\n' };
    const sent = { method: 'POST', url: base, headers: { 'X-Name': '{{name}}', 'Content-Type': 'a/b' }, variables };
    expect(fillRequest({ ...sent, body: [{ n: '{{name}}!' }, 1, null] }, undefined)).toEqual({
      method: 'POST',
      url: base,
      headers: { 'X-Name': 'a "b"\n', 'Content-Type': 'a/b' },
      body: '[{"n":"a \\"b\\"\\n!"},1,null]',
    });
    expect(fillRequest({ ...sent, body: '<{{name}}>' }, undefined).body).toBe('<a "b"\n>');
  });

  test('a variable of the file goes before the address of the service', () => {
    const request = { method: 'GET', url: '{{base}}/a', headers: {}, variables: { base: 'https://example.com/v1/' } };
    expect(fillRequest(request, base).url).toBe('https://example.com/v1/a');
  });

  test.each<[Partial<Request>, string | undefined, string]>([
    [{}, undefined, '{{base}} is the address of the running service, and it does not run: start it first.'],
    [
      { body: { a: '{{one}}' }, headers: { b: '{{two}}' } },
      base,
      '{{two}}, {{one}} has no value: give it one under Variables.',
    ],
    [{ url: '{{base}}/{{id}}', variables: { id: '' } }, base, '{{id}} is empty, and is part of the address.'],
    [{ url: '/orders' }, base, '"/orders" is not an address that begins with http:// or https://.'],
    [
      { url: 'file:///etc/passwd' },
      base,
      '"file:///etc/passwd" is not an address that begins with http:// or https://.',
    ],
    [{ method: 'GET' }, base, 'A GET request carries no body: empty it, or choose another method.'],
  ])('%j is refused', (change, address, message) => {
    expect(() => fillRequest({ ...create, ...change }, address)).toThrow(message);
  });
});

describe('the body while it is edited', () => {
  test('text stays text, JSON stays JSON, and comes back after it was broken', () => {
    expect(bodyOf('{"a": 1}', 'a text')).toBe('{"a": 1}');
    expect(bodyOf('{"a": 1}', undefined)).toEqual({ a: 1 });
    expect(bodyOf('{"a": ', { a: 1 })).toBe('{"a": ');
    expect(bodyOf('{"a": 2}', '{"a": ')).toEqual({ a: 2 });
    expect(bodyOf(' \n', { a: 1 })).toBeUndefined();
    expect(bodyOf('"a"', undefined)).toBe('"a"');
  });

  test('numbers that JSON would change are kept as they are written', () => {
    for (const text of ['{"id": 12345678901234567890}', '[1.0]', '[1e3]']) expect(bodyOf(text, undefined)).toBe(text);
  });

  test('what it is shown as', () => {
    expect([undefined, 'a', { a: [1] }].map(shownBody)).toEqual(['', 'a', '{\n  "a": [\n    1\n  ]\n}']);
  });

  test('only what looks like JSON is judged, and not before its variables are known', () => {
    expect(jsonProblem('{"a": }')).toMatch(/JSON/);
    for (const text of ['', 'a text', '{"a": 1}', '{"a": {{id}}}']) expect(jsonProblem(text)).toBeUndefined();
  });
});
