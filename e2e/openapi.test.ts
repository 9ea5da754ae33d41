import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { runCommand, startService } from '../test/support/service.ts';

/** Descriptions that others published (`@readme/oas-examples`, MIT). */
const published = dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'));
const directory = mkdtempSync(join(tmpdir(), 'svc-openapi-'));

afterAll(() => rmSync(directory, { recursive: true }));

test('a published description of OpenAPI is added, is compared, is served and checks what callers send', async () => {
  cpSync(join(published, '3.1/json/train-travel.json'), join(directory, 'trains.json'));
  writeFileSync(join(directory, 'service.hcl'), 'service {\n  name = "trains"\n  admin_port = env("ADMIN_PORT")\n}\n');
  const at = ['-c', directory];
  const added = await runCommand(['add', 'openapi', join(directory, 'trains.json'), ...at]);
  expect(added.code).toBe(0);
  const connector = join(directory, 'connectors', 'trains.hcl');
  const text = readFileSync(connector, 'utf8');
  // Callers need no token here: who issues them is not part of the test.
  writeFileSync(
    connector,
    text.replace(/\n {2}auth \{.*?\n {2}\}\n/s, '').replace('env("TRAINS_PORT", "8080")', 'env("PORT")'),
  );
  const compared = await runCommand(
    ['validate', directory, '--contract', join(directory, 'trains.json'), '--format', 'json'],
    {
      PORT: '8080',
      ADMIN_PORT: '8081',
    },
  );
  const { problems } = JSON.parse(compared.stdout) as {
    problems: { code: string; severity: string; message: string }[];
  };
  const broken = problems.filter(({ severity }) => severity === 'error');
  // XML beside JSON, a bound that is excluded, and the token that was taken out: what the import lists, and this test.
  expect([...new Set(broken.map(({ code }) => code))].sort()).toEqual([
    'contract-answer',
    'contract-body',
    'contract-constraint',
    'contract-credential',
  ]);

  const service = await startService({ directory });
  onTestFinished(async () => void (await service.stop()));
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${service.address}${path}`, init);
    return [answer.status, await answer.json().catch(() => undefined)] as const;
  };
  const fields = (answer: readonly [number, unknown]) => [
    answer[0],
    ((answer[1] as { fields?: { field: string }[] } | undefined)?.fields ?? []).map(({ field }) => field).sort(),
  ];
  expect(fields(await ask('/trips?origin=a'))).toEqual([400, ['date', 'destination']]);
  const post = (body: object) =>
    ask('/bookings', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  expect(fields(await post({ trip_id: 'x', has_dog: 'perhaps' }))).toEqual([400, ['has_dog', 'trip_id']]);
  expect((await post({ trip_id: '4f4e4e1d-c824-4d63-b37a-d8d698862f1d' }))[0]).toBe(201);
});
