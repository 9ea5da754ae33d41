/** Whom a frame goes to. */
export type Addressee =
  | { readonly kind: 'broadcast' }
  /** Without a name: that of `target`. */
  | { readonly kind: 'room'; readonly room?: string | undefined }
  | { readonly kind: 'user' };

/** What `to.operation` can begin with or be. */
export const pushOperations = ['broadcast', 'send_to_room', 'send_to_user', 'room:'] as const;

/** Reads the operation of a destination; undefined when it is malformed. An absent one means every client. */
export function addresseeOf(operation: string | undefined): Addressee | undefined {
  switch (operation) {
    case undefined:
    case '':
    case 'broadcast':
      return { kind: 'broadcast' };
    case 'send_to_room':
      return { kind: 'room' };
    case 'send_to_user':
      return { kind: 'user' };
  }
  const [, room] = /^room:(.+)$/s.exec(operation) ?? [];
  return room === undefined ? undefined : { kind: 'room', room };
}

/** Why an operation of a destination is malformed. */
export function checkPush(operation: string): string | undefined {
  if (addresseeOf(operation) !== undefined) return undefined;
  return `\`${operation}\` is not a way to send to clients: write \`broadcast\`, \`send_to_room\`, \`send_to_user\` or \`room:<name>\``;
}

/** Why the name of an event is malformed. */
export function checkEvent(operation: string): string | undefined {
  if (operation === '*') return undefined;
  if (operation === 'leave_room') return '`leave_room` needs no flow: every client may leave';
  if (/^[^*#\s]{1,256}$/.test(operation)) return undefined;
  return `\`${operation}\` is not the name of an event: write \`connect\`, \`message\`, \`disconnect\`, the type that clients send, or \`*\` for all`;
}
