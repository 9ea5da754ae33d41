import type { OutlineAspect, OutlineEndpoint, OutlineSupport } from '@svc/protocol/language';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { placedEndpoints } from '../../engine/auth/endpoints/places.ts';
import { settingsOf } from '../../engine/auth/settings.ts';
import { auth } from '../../engine/auth/spec.ts';
import { matches } from '../../engine/flow/aspects/selection.ts';
import { aspect } from '../../engine/flow/aspects/spec.ts';
import { sagaLanes } from '../../engine/flow/pipeline/saga.ts';
import { lanes } from '../../engine/flow/pipeline/stages.ts';
import { flow } from '../../engine/flow/spec.ts';

/** What a picture of a service says about connectors and stages. */
export const outlineSupport: OutlineSupport = {
  stages: lanes,
  drawnAsFlows: { saga: sagaLanes },
  connector: inWords,
  drawnAsConnectors: { auth: signInInWords },
  aspects: aspectsWithFlows,
  endpoints: signInEndpoints,
};

function signInInWords(project: Project): string {
  return `sign-in, ${project.one('auth', auth)?.preset ?? 'standard'}`;
}

/** Every aspect, with the flows whose names it matches. */
function aspectsWithFlows(project: Project, flows: readonly string[]): readonly OutlineAspect[] {
  return project.all('aspect', aspect).map((each) => {
    const { name, values, origin } = each;
    const { file, range } = origin;
    return {
      id: `aspect ${name}`,
      name,
      // A refused attribute is absent, although it is required.
      detail: values.when ?? '',
      file,
      range: { start: range.start, end: range.end },
      flows: flows.filter((flow) => matches(each, flow)),
    };
  });
}

/** The endpoints of the sign-in system, where a server serves them and no flow is in their place. */
function signInEndpoints(project: Project): readonly OutlineEndpoint[] {
  const written = project.one('auth', auth);
  const servers = [...project.connectors.values()].filter(({ spec }) => spec?.source?.routes === true);
  if (written === undefined || servers.length === 0) return [];
  const names = new Set(servers.map(({ name }) => name));
  const taken = new Set(
    project.all('flow', flow).flatMap(({ values: { from } }) => {
      const connector = from === undefined ? undefined : project.connectors.get(from.connector ?? '');
      if (connector === undefined || !names.has(connector.name)) return [];
      return resolveOperation(connector, from?.operation ?? '')?.operation ?? from?.operation ?? [];
    }),
  );
  return placedEndpoints(settingsOf(written)).filter(({ method, path }) => !taken.has(`${method} ${path}`));
}

/** The driver, else the type; the port where it listens; how much else it declares. */
function inWords({ spec, values, operations, profiles }: ConnectorDeclaration): string {
  if (spec === undefined) return profiles.size === 0 ? '' : counted(profiles.size, 'profile');
  const { port } = values as { readonly port?: unknown };
  const word = spec.driver === undefined || spec.defaultDriver ? spec.type : spec.driver;
  const place = typeof port === 'number' ? `${word} :${port}` : word;
  return operations.size === 0 ? place : `${place}, ${counted(operations.size, 'op')}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
