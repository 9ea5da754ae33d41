type Verb = 'read' | 'create' | 'update' | 'delete';

const verbs: Readonly<Record<Verb, readonly string[]>> = {
  read: ['get', 'list', 'find', 'search', 'read'],
  create: ['create', 'add', 'insert', 'new'],
  update: ['update', 'change', 'set', 'edit', 'modify'],
  delete: ['delete', 'remove', 'destroy'],
};

const first = new Map(Object.entries(verbs).flatMap(([verb, words]) => words.map((word) => [word, verb as Verb])));

/** What a name such as `createOrder`, `CreateOrder` or `create_order` says by its first word; undefined where it says nothing. */
export function verbOfName(name: string): Verb | undefined {
  return first.get(/^[A-Z]*[a-z]*/.exec(name)?.[0]?.toLowerCase() ?? '');
}
