import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

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
