import { Readable } from 'node:stream';
import { Content } from '../../../../contracts/content.ts';
import type { TargetBed } from '../../../testing/target-conformance.ts';
import { ftp } from '../spec.ts';
import type { RemoteBed } from './bed.ts';

/** The bed for the suite of all targets. A write whose sender is silent is the call that waits. */
export async function targetBed(making: Promise<RemoteBed>): Promise<TargetBed> {
  const bed = await making;
  const senders = new Set<Readable>();
  let isReleased = false;
  const bytes = {
    size: undefined,
    once: false,
    inMemory: undefined,
    stream: () => {
      const sender = new Readable({ read: () => undefined });
      sender.push('begun');
      if (isReleased) sender.push(null);
      senders.add(sender);
      sender.once('close', () => senders.delete(sender));
      return sender;
    },
    read: () => Buffer.alloc(0),
  };
  return {
    spec: ftp,
    connector: (services) => bed.connector({ max_connections: 20 }, services),
    call: { verb: 'create', operation: 'write', target: 'echo.txt' },
    echo: async (execute, text) => {
      const path = `${Buffer.from(text).toString('hex').slice(0, 100)}-${text.length}.txt`;
      await execute({ params: { path, content: text } });
      return (await bed.bytesOf(path)).toString();
    },
    stuck: {
      call: { operation: 'write', target: 'stuck.txt' },
      request: { params: { content: new Content(bytes, { filename: '', contentType: '' }, new Uint8Array()) } },
      begun: () => senders.size > 0,
      release: () => {
        isReleased = true;
        for (const sender of senders) sender.push(null);
      },
      isLeft: () => senders.size > 0,
    },
    proxy: bed.proxy,
    malformed: ['find', 'presign_get', 'GET /a'],
    secrets: bed.secrets,
    close: bed.close,
  };
}
