import type { Project } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest, type Diagnostic } from '@svc/protocol/text';
import { flowsOf } from '../flow/declarations.ts';
import { type Behaviour, readBehaviour, standardBehaviour } from './mocks-rules.ts';
import type { Recordings } from './recordings.ts';
import { mocks } from './spec.ts';
import { isAsked } from './stand-in.ts';

/** What the command line says about mocks. */
export interface MockFlags {
  /** `--mock`: names of connectors, or `all`. */
  readonly mock: readonly string[];
  /** `--no-mock`, which wins. */
  readonly noMock: readonly string[];
}

export const noFlags: MockFlags = { mock: [], noMock: [] };

/** A connector that is mocked. */
export interface MockedConnector {
  readonly behaviour: Behaviour;
  /** Whether calls without a recording go to the real connector; otherwise they get the standard answer. */
  readonly real: boolean;
}

/** Decides which connectors are mocked; flags win over the block. */
export function mockedConnectors(
  project: Project,
  recordings: Recordings,
  { mock, noMock }: MockFlags,
): ReadonlyMap<string, MockedConnector> {
  const block = project.one('mocks', mocks);
  const listed = new Map(
    (block?.connectors?.fields ?? []).map(({ name, value }) => [name, readBehaviour(value, () => undefined)]),
  );
  const mocked = new Map<string, MockedConnector>();
  for (const [name, declaration] of project.connectors) {
    if (!isAsked(declaration) || noMock.includes('all') || noMock.includes(name)) continue;
    const behaviour = listed.get(name) ?? standardBehaviour;
    const byBlock =
      block?.enabled === true && byListOrRecording(name, block.connectors !== undefined, listed, recordings);
    const byFlag = mock.includes('all') || mock.includes(name);
    if (byBlock || byFlag) mocked.set(name, { behaviour, real: byBlock });
  }
  return mocked;
}

/** Whether recordings answer in place of whole flows. */
export function mocksFlows(project: Project, { mock, noMock }: MockFlags): boolean {
  return !noMock.includes('all') && (mock.includes('all') || project.one('mocks', mocks)?.enabled === true);
}

/** What answers from mocks: `connector "db"`, `flow "find"`. */
export function mockedNames(project: Project, recordings: Recordings, flags: MockFlags): readonly string[] {
  const flows = mocksFlows(project, flags) ? flowsOf(project).filter(({ name }) => recordings.flows.has(name)) : [];
  const connectors = [...mockedConnectors(project, recordings, flags).keys()];
  return [...connectors.map((name) => `connector "${name}"`), ...flows.map(({ name }) => `flow "${name}"`)];
}

/** A warning for each of them, for environments where callers count on the answers. */
export function servedMocks(project: Project, recordings: Recordings, flags: MockFlags): readonly Diagnostic[] {
  const block = project.one('mocks', mocks);
  const { file, range } = (block && originOf(block)) ?? {
    file: project.files[0]?.file ?? '',
    range: { start: 0, end: 0 },
  };
  return mockedNames(project, recordings, flags).map((name) => ({
    code: 'mocks-outside-development',
    severity: 'warning',
    family: 'config',
    message: `${name} answers from mocks, in an environment that is not development`,
    file,
    range,
    help: 'Switch the mocks off for this environment.',
  }));
}

function byListOrRecording(
  name: string,
  isListed: boolean,
  listed: ReadonlyMap<string, Behaviour>,
  { connectors }: Recordings,
): boolean {
  return isListed ? listed.get(name)?.enabled === true : (connectors.get(name)?.size ?? 0) > 0;
}

/** Names on the command line that no connector has, or one that cannot be mocked. */
export function flagProblems({ connectors }: Project, { mock, noMock }: MockFlags): readonly Diagnostic[] {
  const problemOf = (flag: string, name: string): Diagnostic[] => {
    const declaration = connectors.get(name);
    if (name === 'all' || (declaration && (flag === '--no-mock' || isAsked(declaration)))) return [];
    const near = declaration ? undefined : closest(name, connectors.keys());
    const message = declaration
      ? `${flag} names "${name}", which only takes messages: there is nothing to mock`
      : `${flag} names "${name}", and there is no such connector`;
    const help = near ? `Did you mean "${near}"?` : `These exist: ${[...connectors.keys()].join(', ')}.`;
    const range = { start: 0, end: 0 };
    return [{ code: 'unknown-connector', severity: 'error', family: 'config', message, file: flag, range, help }];
  };
  return [
    ...mock.flatMap((name) => problemOf('--mock', name)),
    ...noMock.flatMap((name) => problemOf('--no-mock', name)),
  ];
}
