import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  test('orders of a file become rows, once however often it is taken; it is moved, and confirmed by a file', async () => {
    writeFileSync(join(partner, 'orders/monday.csv'), 'number,customer,total\n7,ada,12.50\n8,bob,0.99\n9,ada,1\n');
    expect((await service.ask('GET', '/files')).body).toEqual({ files: [{ name: 'monday.csv', size: 53 }] });
    for (let time = 0; time < 2; time++) {
      const { status, body } = await service.ask('POST', '/files/monday.csv');
      expect([status, body]).toEqual([200, expect.objectContaining({ processed: 3, failed: 0 })]);
    }
    expect((await service.ask('DELETE', '/files/monday.csv')).body).toEqual({ moved: 'done/monday.csv' });
    expect([existsSync(join(partner, 'orders/monday.csv')), existsSync(join(partner, 'done/monday.csv'))]).toEqual([
      false,
      true,
    ]);
    expect((await service.ask('PUT', '/confirmations/ada')).status).toBe(200);
    expect(readFileSync(join(partner, 'confirmations/ada.csv'), 'utf8')).toBe('number,cents\r\n7,1250\r\n9,100\r\n');
  });

  test('S-81: a name that leads to another folder is refused, a file that is not there is 404', async () => {
    writeFileSync(join(partner, 'secret.csv'), 'number,customer,total\n1,eve,1\n');
    expect((await service.ask('POST', '/files/..%2Fsecret.csv')).status).toBe(400);
    expect((await service.ask('DELETE', '/files/..%2Fsecret.csv')).status).toBe(400);
    expect((await service.ask('POST', '/files/none.csv')).status).toBe(404);
    expect(existsSync(join(partner, 'secret.csv'))).toBe(true);
  });
});
