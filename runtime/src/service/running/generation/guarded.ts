import type { Target } from '../../../foundation/contracts/target.ts';

/** An object with some members of its own, and everything else of the one behind it. */
export function overlaid<T extends object>(behind: T, own: Partial<T>): T {
  return new Proxy(behind, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(behind, key, behind);
      return typeof member === 'function' ? member.bind(behind) : member;
    },
  });
}

/**
 * An object whose functions, which answer with promises, reject where `refuse` throws. Those of the names in `free` are as
 * they are.
 */
export function guarded<T extends object>(behind: T, refuse: () => void, free: readonly (keyof T)[] = []): T {
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(behind, {
    get: (_, key) => {
      if (known.has(key)) return known.get(key);
      const member: unknown = Reflect.get(behind, key, behind);
      if (typeof member !== 'function') return member;
      const isFree = (free as readonly PropertyKey[]).includes(key);
      const asked = (...given: unknown[]) => {
        try {
          if (!isFree) refuse();
        } catch (error) {
          return Promise.reject(error);
        }
        return Reflect.apply(member, behind, given);
      };
      known.set(key, asked);
      return asked;
    },
  });
}

/** A target whose calls are prepared at any time, and each of which calls `refuse` first, which may throw. */
export function guardedTarget(behind: Target, refuse: () => void): Target {
  const { transactions } = behind;
  const asking =
    <A extends readonly unknown[], R>(ask: (...given: A) => R) =>
    (...given: A): R => {
      refuse();
      return ask(...given);
    };
  return overlaid(behind, {
    prepare: (call) => asking(behind.prepare(call)),
    ...(behind.prepareRows && {
      prepareRows: (call) => {
        const rows = behind.prepareRows?.(call);
        return rows && asking(rows);
      },
    }),
    ...(behind.prepareEach && {
      prepareEach: (call) => {
        const each = behind.prepareEach?.(call);
        return each && asking(each);
      },
    }),
    ...(behind.prepareScan && {
      prepareScan: (call) => {
        const scan = behind.prepareScan?.(call);
        return scan && asking(scan);
      },
    }),
    ...(transactions && { transactions: guarded(transactions, refuse) }),
  });
}
