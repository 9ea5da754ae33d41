import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writtenIn } from './zone.ts';

test.each([
  ['Europe/Madrid', 'Europe/Madrid'],
  ['', 'UTC'],
  ['Nope/Zone', 'UTC'],
  ['UTC0', 'UTC'],
])('R-96: the zone of a process with TZ="%s" is %s', (TZ, zone) => {
  const program = `import { localZone } from ${JSON.stringify(`${import.meta.dirname}/zone.ts`)}; process.stdout.write(String(localZone()));`;
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, TZ } });
  expect(String(found)).toBe(zone);
});

test('an instant is written with the offset that its zone has then', () => {
  const [winter, summer] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)];
  expect([
    writtenIn('Europe/Madrid', winter),
    writtenIn('Europe/Madrid', summer),
    writtenIn('America/St_Johns', winter),
    writtenIn('Asia/Kathmandu', winter),
    writtenIn(undefined, winter),
  ]).toEqual([
    '2026-01-01T01:00:00.000+01:00',
    '2026-07-01T02:00:00.000+02:00',
    '2025-12-31T20:30:00.000-03:30',
    '2026-01-01T05:45:00.000+05:45',
    '2026-01-01T00:00:00.000Z',
  ]);
});
