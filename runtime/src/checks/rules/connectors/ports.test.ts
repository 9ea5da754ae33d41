import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../testing/problems.ts';

const server = (name: string, lines: string) => `connector "${name}" {\n  type = "rest"\n${lines}\n}\n`;
const flow = (name: string, connector: string, operation: string) =>
  `flow "${name}" {\n  from {\n    connector = "${connector}"\n    operation = "${operation}"\n  }\n  response {\n    a = "1"\n  }\n}\n`;
const problems = (text: string) => problemsOf(text).filter((problem) => !problem.startsWith('info'));

describe('one port', () => {
  test('the admin server shares its own with no connector; 0 is a port for each', () => {
    expect(problems(server('a', 'port = 9090'))).toEqual(['port-taken «9090»']);
    expect(problems(server('a', 'port = 0') + server('b', 'port = 0\n read_timeout = "1s"'))).toEqual([]);
  });

  test('connectors share one where they serve different things', () => {
    const both = server('a', 'port = 3000') + server('b', 'port = 3000');
    expect(problems(both + flow('f', 'a', 'GET /a') + flow('g', 'b', 'POST /a'))).toEqual([]);
  });

  test('two that serve the same are reported with both places, whatever parameters are called', () => {
    const both = server('a', 'port = 3000') + server('b', 'port = 3000');
    const text = both + flow('f', 'a', 'GET /a/:id') + flow('g', 'b', 'GET /a/{name}');
    expect(problems(text)).toEqual(['route-taken «"GET /a/{name}"»']);
    const { message, related } = problemOf('route-taken', text);
    expect(message).toBe('`GET /a/{name}` on port 3000 is already served by connector "a"');
    expect(related?.map((one) => [one.message, text.slice(one.range.start, one.range.end)])).toEqual([
      ['connector "a" serves it here', '"GET /a/:id"'],
    ]);
    expect(problems(both + flow('f', 'a', 'GET /a') + flow('g', 'b', 'HEAD /a'))).toEqual(['route-taken «"HEAD /a"»']);
  });

  test('they say the same about its connections', () => {
    const text = server('a', 'port = 3000') + server('b', 'port = 3000\n  read_timeout = "1s"');
    expect(problems(text)).toEqual(['shared-port-differs «"1s"»']);
    const { message, related } = problemOf('shared-port-differs', text);
    expect([message, related?.[0]?.message]).toEqual([
      '`read_timeout` differs from that of connector "a", which shares port 3000',
      'that of connector "a"',
    ]);
  });

  test('and whether they speak HTTP/2', () => {
    const text = server('a', 'port = 3000') + server('b', 'port = 3000\n  http2 = true');
    expect(problems(text)).toEqual(['shared-port-differs «true»']);
    expect(
      problems(text.replaceAll('port = 3000', 'port = 3000\n  http2 = true').replace('true\n  http2 = true', 'true')),
    ).toEqual([]);
  });

  test('and name the same host', () => {
    const text = server('a', 'port = 3000') + server('b', 'port = 3000\n  host = "127.0.0.1"');
    expect(problems(text)).toEqual(['port-taken «3000»']);
    expect(problemOf('port-taken', text).message).toBe('port 3000 is already that of connector "a", at another host');
  });
});
