import type { ConnectorKind } from '@svc/protocol/schema';
import type { IconName } from './icon-shapes.ts';

/** The icon of a kind of connector, and the class that gives its colour. */
export interface KindLook {
  readonly name: IconName;
  readonly className: string;
}

const looks: Readonly<Record<ConnectorKind, KindLook>> = {
  api: { name: 'api', className: 'k-api' },
  db: { name: 'database', className: 'k-db' },
  queue: { name: 'queue-kind', className: 'k-queue' },
  http: { name: 'http', className: 'k-http' },
  cache: { name: 'hourglass', className: 'k-cache' },
  file: { name: 'files', className: 'k-file' },
  notify: { name: 'bell', className: 'k-notify' },
  time: { name: 'clock', className: 'k-time' },
};
const unknown: KindLook = { name: 'plug', className: '' };

/** How a connector of a kind looks: a shape, its colour repeating it. One without a kind is a plug. */
export function lookOfKind(kind: string | undefined): KindLook {
  return looks[kind as ConnectorKind] ?? unknown;
}

/** How a node of the canvas looks: a connector by its kind, the sign-in system as what admits. */
export function lookOfNode({ word, kind }: { readonly word: string; readonly kind: string | undefined }): KindLook {
  return word === 'connector' ? lookOfKind(kind) : { name: 'gate', className: 'gate' };
}
