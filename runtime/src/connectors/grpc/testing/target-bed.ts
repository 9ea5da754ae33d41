import { rmSync } from 'node:fs';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../client/connector.ts';
import { grpcClient } from '../client/spec.ts';
import { EchoService, echoProto } from './echo-service.ts';

/** A client of these settings, whose definitions are in a folder. Its maker closes it. */
export function made(
  written: Record<string, unknown>,
  directory: string,
  services: ConnectorServices = connectorServices(),
): TargetConnector {
  return create('texts', configured(grpcClient.config, written), { ...services, directory }) as TargetConnector;
}

/** The definitions of the service in a folder of their own. */
export function echoFolder(): string {
  return folderWith({ 'echo.proto': echoProto });
}

/** A service behind a proxy, whose method `Stuck` is not answered before it is released. */
export async function targetBed(): Promise<TargetBed> {
  const service = await EchoService.start();
  const proxy = await faultProxy({ port: service.port });
  const directory = echoFolder();
  const auth = { type: 'bearer', token: 'kept-secret' };
  return {
    spec: grpcClient,
    connector: (services) => made({ target: `127.0.0.1:${proxy.port}`, timeout: 10_000, auth }, directory, services),
    call: { operation: 'echo.Texts/Echo' },
    echo: async (execute, text) => ((await execute({ params: { text } })).value as { text?: unknown }).text,
    stuck: {
      call: { operation: 'Texts/Stuck' },
      request: {},
      begun: () => service.held.size > 0,
      release: () => service.release(),
      isLeft: () => service.held.size > 0,
    },
    proxy,
    malformed: ['Get Order', 'a b/C', '/', 'Texts/', 'Texts.Echo'],
    secrets: ['kept-secret'],
    close: async () => {
      await proxy.close();
      service.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
