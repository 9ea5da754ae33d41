import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { knownHost, sshAccess } from '../../support/servers/sshd.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/file-drop');
const address = process.env['TEST_SSH_URL'];

describe.skipIf(address === undefined)('the drop of files at a partner', () => {
  const partner = folderWith();
  let service: Scenario;

  beforeAll(async () => {
    const access = sshAccess(address as string);
    const knownHosts = join(folderWith(), 'known_hosts');
    writeFileSync(knownHosts, knownHost(access));
    mkdirSync(join(partner, 'orders'));
    service = await startScenario(example, {
      prepare: (directory) => migrate(directory, ['db']),
      env: {
        PARTNER_HOST: access.host,
        PARTNER_PORT: String(access.port),
        PARTNER_USER: access.username,
        PARTNER_KEY: access.keyFile,
        PARTNER_KNOWN_HOSTS: knownHosts,
        PARTNER_FOLDER: partner,
      },
    });
  });

  afterAll(async () => {
    await service?.end();
    rmSync(partner, { recursive: true });
  });

  const texts = (folder: string) =>
    readdirSync(join(partner, folder)).map((name) => readFileSync(join(partner, folder, name), 'utf8'));

  test('orders of a file become rows, once however often it comes; then it is moved, and confirmed by a file', async () => {
    const text = 'number,customer,total\n7,ada,12.50\n8,bob,0.99\n9,ada,1\n';
    for (let time = 1; time <= 2; time++) {
      writeFileSync(join(partner, 'orders/monday.csv'), text);
      expect((await service.ask('GET', '/files')).body).toEqual({ files: [{ name: 'monday.csv', size: 53 }] });
      const { status, body } = await service.ask('POST', '/files/monday.csv');
      expect([status, body]).toEqual([200, expect.objectContaining({ processed: 3, failed: 0 })]);
      expect((await service.ask('POST', '/files/monday.csv')).status).toBe(404);
      expect(texts('done')).toContain(text);
    }
    expect((await service.ask('PUT', '/confirmations/ada')).status).toBe(200);
    expect(readFileSync(join(partner, 'confirmations/ada.csv'), 'utf8')).toBe('number,cents\r\n7,1250\r\n9,100\r\n');
  });

  test('a file of which a row could not be written stays, and is taken when it was corrected', async () => {
    const path = join(partner, 'orders/tuesday.csv');
    writeFileSync(path, 'number,customer,total\n17,ada,12.50\n18,bob,nothing\n');
    const before = texts('done');
    expect((await service.ask('POST', '/files/tuesday.csv')).status).toBeGreaterThanOrEqual(400);
    expect([existsSync(path), texts('done')]).toEqual([true, before]);
    writeFileSync(path, 'number,customer,total\n17,ada,12.50\n18,bob,2\n');
    expect((await service.ask('POST', '/files/tuesday.csv')).body).toMatchObject({ processed: 2, failed: 0 });
    expect(existsSync(path)).toBe(false);
  });

  test('S-81: a name that leads to another folder is refused, a file that is not there is 404', async () => {
    writeFileSync(join(partner, 'secret.csv'), 'number,customer,total\n1,eve,1\n');
    expect((await service.ask('POST', '/files/..%2Fsecret.csv')).status).toBe(400);
    expect((await service.ask('POST', '/files/none.csv')).status).toBe(404);
    expect(existsSync(join(partner, 'secret.csv'))).toBe(true);
  });
});
