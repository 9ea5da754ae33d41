import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { SpokenForm } from '@svc/protocol/schema';
import { misunderstanding } from '../../../platform/net/spoken/misunderstanding.ts';
import type { UnreachableConnector } from './reach.ts';

/** The same, with the reason that one side speaks TLS and the other does not, where it is that: asked of its server. */
export async function misunderstood(
  found: UnreachableConnector,
  { spec, values }: ConnectorDeclaration,
): Promise<UnreachableConnector> {
  const form = found.obstacle === 'credentials' || found.obstacle === 'name' ? undefined : formOf(spec, values);
  const reason = form && (await misunderstanding(form, found.failure.message));
  return reason === undefined ? found : { ...found, obstacle: 'tls', reason, failure: found.failure.reworded(reason) };
}

/** An address that cannot be read is what its failure is about. */
function formOf(spec: ConnectorDeclaration['spec'], values: ConnectorDeclaration['values']): SpokenForm | undefined {
  try {
    return spec?.speaks?.(values);
  } catch {
    return undefined;
  }
}
