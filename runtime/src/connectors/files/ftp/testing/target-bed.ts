import type { TargetBed } from '../../../testing/target-conformance.ts';
import { silentSender } from '../../testing/silent-sender.ts';
import { ftp } from '../spec.ts';
import type { RemoteBed } from './bed.ts';

/** The bed for the suite of all targets. A write whose sender is silent is the call that waits. */
export async function targetBed(making: Promise<RemoteBed>): Promise<TargetBed> {
  const bed = await making;
  return {
    spec: ftp,
    connector: (services) => bed.connector({ max_connections: 20 }, services),
    call: { verb: 'create', operation: 'write', target: 'echo.txt' },
    echo: async (execute, text) => {
      const path = `${Buffer.from(text).toString('hex').slice(0, 100)}-${text.length}.txt`;
      await execute({ params: { path, content: text } });
      return (await bed.bytesOf(path)).toString();
    },
    stuck: silentSender(),
    proxy: bed.proxy,
    malformed: ['find', 'presign_get', 'GET /a'],
    secrets: bed.secrets,
    close: bed.close,
  };
}
