import { expect, test } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';
import { load } from './testing/service.ts';

const fingerprint = (configuration: string, name: string) => {
  const declaration = load(configuration).connectors.get(name);
  if (!declaration) throw new Error(`there is no connector ${name}`);
  return fingerprintOf(declaration);
};
const cache = (name: string, lines: string) => `connector "api" { type = "server" }
connector "${name}" {
  type   = "cache"
  driver = "memory"
  ${lines}
}`;

test('is equal for what means the same, wherever it is written, and different for anything else', () => {
  const first = fingerprint(cache('c', 'max_items = 5\n  default_ttl = "1m"'), 'c');
  expect(fingerprint(`\n\n${cache('c', 'default_ttl = "60s"\n  max_items = "5"')}`, 'c')).toBe(first);
  const others = [
    fingerprint(cache('d', 'max_items = 5\n  default_ttl = "1m"'), 'd'),
    fingerprint(cache('c', 'max_items = 6\n  default_ttl = "1m"'), 'c'),
    fingerprint(cache('c', 'max_items = 5'), 'c'),
    fingerprint('connector "api" {\n type = "server"\n operation "a" { path = "/a" }\n}', 'api'),
    fingerprint('connector "api" {\n type = "server"\n operation "a" { path = "/b" }\n}', 'api'),
  ];
  expect(new Set([first, ...others]).size).toBe(6);
});
