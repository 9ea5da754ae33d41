import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { until } from '../../../../test/support/until.ts';
import { describeCall } from '../database/testing/parts.ts';
import type { TargetConnector } from '../testing/target-conformance.ts';
import { create } from './client/connector.ts';
import { soapClient } from './client/spec.ts';

const php = process.env['TEST_PHP'];

const script = `<?php
class Orders {
  public function Get($id, $lines = null) {
    if ($id === 'missing') throw new SoapFault('Server', 'there is no such order', null, ['id' => $id]);
    return ['id' => $id, 'twice' => $id . $id, 'lines' => ['a', 'b']];
  }
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') { http_response_code(405); return; }
$server = new SoapServer(null, ['uri' => 'urn:orders', 'soap_version' => VERSION]);
$server->setClass('Orders');
$server->handle();
`;

test.skipIf(php === undefined).each(['1.1', '1.2'] as const)(
  'the server of PHP is called with SOAP %s, its faults are failures',
  async (version) => {
    const folder = folderWith({ 'index.php': script.replace('VERSION', version === '1.1' ? 'SOAP_1_1' : 'SOAP_1_2') });
    const port = await freePort();
    const server = spawn(php as string, ['-S', `127.0.0.1:${port}`, '-t', folder], { stdio: 'ignore' });
    const endpoint = `http://127.0.0.1:${port}/index.php`;
    const written = configured(soapClient.config, { endpoint, soap_version: version, namespace: 'urn:orders' });
    const connector = create('erp', written, connectorServices()) as TargetConnector;
    try {
      await connector.open(new AbortController().signal);
      await until(() =>
        fetch(endpoint).then(
          () => true,
          () => false,
        ),
      );
      await connector.check?.(new AbortController().signal);
      const get = connector.target.prepare(describeCall('call', { operation: 'Get' }));
      expect(await get({ params: { id: 'Ünï<&>' } })).toEqual({
        value: expect.objectContaining({ return: { item: expect.any(Array) } }),
      });
      await expect(get({ params: { id: 'missing' } })).rejects.toMatchObject({
        code: 'upstream_error',
        message: expect.stringMatching(/^SOAP Fault: \[\S+(Server|Receiver)\] there is no such order — .*missing/),
      });
    } finally {
      await connector.close();
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
