import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { until } from '../../../../test/support/until.ts';
import { describeCall } from '../database/testing/parts.ts';
import { made } from './testing/bed.ts';
import { importedOrders } from './testing/imported-orders.ts';

const zeep = process.env['TEST_ZEEP'];
const php = process.env['TEST_PHP'];

/** Answers what the schema allows, read and written by zeep; everything else is a fault that says why. */
const strictServer = `
import http.server, os, sys
import zeep
from lxml import etree
folder = sys.argv[1]
wsdl = zeep.Client(os.path.join(folder, 'orders.wsdl')).wsdl
operation = wsdl.services['Orders'].ports['Orders'].binding._operations['PlaceOrder']
schema = etree.XMLSchema(etree.parse(os.path.join(folder, 'xsd', 'orders.xsd')))
fault = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>%s</faultstring></s:Fault></s:Body></s:Envelope>'
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass
    def do_POST(self):
        envelope = etree.fromstring(self.rfile.read(int(self.headers['content-length'])))
        if schema.validate(envelope[-1][0]) and self.headers['soapaction'] == '"urn:place"':
            asked = operation.input.deserialize(envelope)
            total = sum(line.count for line in asked.line)
            answer = etree.tostring(operation.output.serialize(id=asked.note or '', total=total, customer=asked.customer).content)
            self.send_response(200)
        else:
            answer = (fault % str(schema.error_log).replace('<', ' ')).encode()
            self.send_response(500)
        self.send_header('content-type', 'text/xml; charset=utf-8')
        self.send_header('content-length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[2])), Handler).serve_forever()
`;

const phpServer = `<?php
ini_set('soap.wsdl_cache_enabled', '0');
class Orders {
  public function PlaceOrder($order) {
    $lines = is_array($order->line) ? $order->line : [$order->line];
    $total = array_sum(array_map(fn ($line) => $line->count, $lines));
    return ['id' => $order->note ?? '', 'total' => $total, 'customer' => $order->customer];
  }
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') { http_response_code(405); return; }
$server = new SoapServer(__DIR__ . '/orders.wsdl');
$server->setClass('Orders');
$server->handle();
`;

const order = {
  note: 'Ünï<&>',
  line: [
    { count: 2, sku: 'a' },
    { count: 3, sku: 'b' },
  ],
  customer: { parent: { name: 'Holding' }, name: 'ada' },
};

test.skipIf(zeep === undefined || php === undefined).each(['zeep', 'PHP'] as const)(
  'a description in several files: %s, which reads them itself, takes what is sent as they say',
  async (maker) => {
    const folder = folderWith({ ...importedOrders, 'serve.py': strictServer, 'index.php': phpServer });
    const port = await freePort();
    const [program, args] =
      maker === 'zeep'
        ? [zeep as string, [join(folder, 'serve.py'), folder, String(port)]]
        : [php as string, ['-S', `127.0.0.1:${port}`, '-t', folder]];
    const server = spawn(program, args, { stdio: 'ignore' });
    const endpoint = `http://127.0.0.1:${port}/index.php`;
    const connector = made({ wsdl: 'orders.wsdl', endpoint }, connectorServices({ directory: folder }));
    try {
      await connector.open(new AbortController().signal);
      await until(() =>
        fetch(endpoint).then(
          () => true,
          () => false,
        ),
      );
      const place = connector.target.prepare(describeCall('call', { operation: 'PlaceOrder' }));
      expect(await place({ params: order })).toEqual({
        value: { id: 'Ünï<&>', total: '5', customer: { name: 'ada', parent: { name: 'Holding' } } },
      });
      if (maker === 'PHP') return;
      const long = { ...order, line: [{ sku: 'longer than five', count: 1 }] };
      await expect(place({ params: long })).rejects.toMatchObject({ message: expect.stringMatching(/maxLength/) });
    } finally {
      await connector.close();
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
