import { Readable } from 'node:stream';
import { Content } from '../../../foundation/contracts/content.ts';
import type { StuckCall } from '../../testing/target-conformance.ts';

/** A write whose sender says nothing after its first bytes: a call that waits, whatever the store. */
export function silentSender(): StuckCall {
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
    call: { operation: 'write', target: 'stuck.txt' },
    request: { params: { content: new Content(bytes, { filename: '', contentType: '' }, new Uint8Array()) } },
    begun: () => senders.size > 0,
    release: () => {
      isReleased = true;
      for (const sender of senders) sender.push(null);
    },
    isLeft: () => senders.size > 0,
  };
}
