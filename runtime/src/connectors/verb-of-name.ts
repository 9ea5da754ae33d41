const first: Readonly<Record<string, 'create' | 'update' | 'delete'>> = {
  create: 'create',
  add: 'create',
  insert: 'create',
  new: 'create',
  update: 'update',
  edit: 'update',
  modify: 'update',
  set: 'update',
  delete: 'delete',
  remove: 'delete',
  destroy: 'delete',
};

/** What a name such as `createOrder`, `CreateOrder` or `create_order` says by its first word; undefined where it says nothing. */
export function verbOfName(name: string): 'create' | 'update' | 'delete' | undefined {
  const word = /^[A-Z]*[a-z]*/.exec(name)?.[0]?.toLowerCase() ?? '';
  return Object.hasOwn(first, word) ? first[word] : undefined;
}
