/** Whom something goes to that a flow sends to connected clients. */
export type Addressee =
  | { readonly kind: 'all' }
  | { readonly kind: 'room'; readonly name: string }
  | { readonly kind: 'user'; readonly name: string };

/** Whom an operation is for. */
export type WrittenAddressee =
  | { readonly kind: 'all' }
  /** Without a name: that of `target`. */
  | { readonly kind: 'room'; readonly name?: string | undefined }
  | { readonly kind: 'user' };

/** The words by which destinations say whom they send to. `prefix` begins the one that names a room: `room:lobby`. */
export class PushOperations {
  readonly #prefix: string;
  /** What `to.operation` can begin with or be. */
  readonly all: readonly string[];

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.all = ['broadcast', 'send_to_room', 'send_to_user', prefix];
  }

  /** Reads the operation of a destination; undefined when it is malformed. An absent one means every client. */
  read(operation: string | undefined): WrittenAddressee | undefined {
    switch (operation) {
      case undefined:
      case '':
      case 'broadcast':
        return { kind: 'all' };
      case 'send_to_room':
        return { kind: 'room' };
      case 'send_to_user':
        return { kind: 'user' };
    }
    const name = operation.startsWith(this.#prefix) ? operation.slice(this.#prefix.length) : '';
    return name === '' ? undefined : { kind: 'room', name };
  }

  /** Why an operation of a destination is malformed. */
  readonly check = (operation: string): string | undefined => {
    if (this.read(operation) !== undefined) return undefined;
    return `\`${operation}\` is not a way to send to clients: write \`broadcast\`, \`send_to_room\`, \`send_to_user\` or \`${this.#prefix}<name>\``;
  };
}

/** The name of a room or user: a text, or a number as it is written; empty for anything else. */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
