import type { ConnectorDeclaration } from '@svc/protocol/model';
import {
  type ParameterDeclaration,
  type ResolvedOperation,
  resolveOperation,
} from '../../connectors/core/operations.ts';

/** Parameters that every profile which declares the operation declares with the same type. */
export function commonParameters(connector: ConnectorDeclaration, name: string): readonly ParameterDeclaration[] {
  const [first, ...others] = declaring(connector, name);
  return (first?.params ?? []).filter(({ label, type }) =>
    others.every(({ params }) => params.some((other) => other.label === label && other.type === type)),
  );
}

/** Names of the parameters of any profile's operation. */
export function everyParameter(connector: ConnectorDeclaration, name: string): readonly string[] {
  return [...new Set(declaring(connector, name).flatMap(({ params }) => params.map(({ label }) => label)))];
}

function declaring({ profiles }: ConnectorDeclaration, name: string): readonly ResolvedOperation[] {
  return [...profiles.values()].flatMap((profile) => resolveOperation(profile, name) ?? []);
}
