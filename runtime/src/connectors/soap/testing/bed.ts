import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../client/connector.ts';
import { soapClient } from '../client/spec.ts';
import { EchoService } from './echo-service.ts';

/** A client of these settings. Its maker closes it. */
export function made(written: Record<string, unknown>, services = connectorServices()): TargetConnector {
  return create('erp', configured(soapClient.config, written), services) as TargetConnector;
}

/** A service behind a proxy, whose operation `Stuck` is not answered before it is released. */
export async function targetBed(): Promise<TargetBed> {
  const service = await EchoService.start();
  const proxy = await faultProxy({ port: service.port });
  return {
    spec: soapClient,
    connector: (services) =>
      made(
        {
          endpoint: `http://127.0.0.1:${proxy.port}/orders`,
          timeout: 10_000,
          auth: { type: 'basic', username: 'svc', password: 'kept:secret' },
          security: { username: 'svc', password: 'kept-secret-three', passwords: 'text' },
          headers: { 'x-api-key': 'kept-secret-too' },
        },
        services,
      ),
    call: { operation: 'Echo' },
    echo: async (execute, text) => ((await execute({ params: { text } })).value as { text?: unknown }).text,
    stuck: {
      call: { operation: 'Stuck' },
      request: {},
      begun: () => service.held.size > 0,
      release: () => service.release(),
      isLeft: () => service.held.size > 0,
    },
    proxy,
    malformed: ['GET /a', 'Get Order', '<Get>', 'a:b'],
    secrets: ['kept:secret', 'kept-secret-too', 'kept-secret-three', Buffer.from('svc:kept:secret').toString('base64')],
    close: async () => {
      await proxy.close();
      await service.close();
    },
  };
}
