import type { StructureItem } from '@svc/protocol/language';
import { lookOfKind } from '../theme/connector-kind.ts';
import type { IconName } from '../theme/icon-shapes.ts';

/** An icon and the class that gives its colour. */
export interface Look {
  readonly icon: IconName;
  readonly className: string | undefined;
}

const roots: Readonly<Record<string, IconName>> = {
  flow: 'flow',
  saga: 'flow',
  type: 'type',
  connector: 'plug',
  service: 'gear',
};

type Shown = Pick<StructureItem, 'kind' | 'word' | 'family' | 'connector'>;

/** Where messages come from looks like its connector, another stage like its family. */
export function lookOf({ kind, word, family, connector }: Shown): Look {
  if (kind !== 'block') return { icon: 'field', className: 'faint' };
  if (connector !== undefined && (family === undefined || word === 'from')) {
    const { name, className } = lookOfKind(connector);
    return { icon: name, className: `ink ${className}` };
  }
  if (family !== undefined) return { icon: family, className: `ink ${family}` };
  return { icon: roots[word] ?? 'field', className: roots[word] === undefined ? 'faint' : undefined };
}
