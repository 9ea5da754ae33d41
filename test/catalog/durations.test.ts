import type { AttributeSpec } from '@svc/protocol/schema';
import { describe, expect, test } from 'vitest';
import { bodies, writing } from './bodies.ts';
import { check } from './check.ts';

const malformed = ['5 minutes', '30 days', '1y', '-5s', '1h-30m', 's', '5ss', 'soon', '1e3s', '٣s', '∞', '0x10s'];

const isDuration = (spec: AttributeSpec): boolean =>
  spec.kind === 'duration' || (spec.element !== undefined && isDuration(spec.element));

const attributes = bodies().flatMap((body) =>
  Object.entries(body.spec.attributes)
    .filter(([, spec]) => isDuration(spec))
    .map(([name]) => [`${body.title}: ${name}`, body, name] as const),
);

describe('R-23: a malformed duration is refused by name', () => {
  test('there are durations', () => {
    expect(attributes.length).toBeGreaterThan(10);
  });

  test.each(attributes)('%s', (_title, body, name) => {
    const refused = malformed.map((text) => {
      const { diagnostics } = check({ 'main.hcl': writing(body, name, JSON.stringify(text)) });
      const found = diagnostics.filter(({ code }) => code === 'malformed-duration');
      return found.map(({ severity, message }) => ({ severity, named: message.startsWith(`${name} of `) }));
    });
    expect(refused).toEqual(malformed.map(() => [{ severity: 'error', named: true }]));
  });

  test.each(attributes)('%s is 30 seconds in any spelling', (_title, body, name) => {
    for (const value of ['30', '"30"', '"30s"', '"0.5m"', '"30000ms"']) {
      const { diagnostics } = check({ 'main.hcl': writing(body, name, value) });
      expect(diagnostics.filter(({ code }) => code === 'malformed-duration')).toEqual([]);
    }
  });
});
