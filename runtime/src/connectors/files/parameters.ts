import type { ConnectorValues, OperationParameters } from '@svc/protocol/schema';
import { namesIn } from '../core/key-pattern.ts';
import { lifetimeOf, lifetimeSays } from '../core/values.ts';
import { type Action, actionNamed } from './actions.ts';
import { globProblem } from './glob.ts';
import type { Naming } from './naming.ts';
import { styleProblem } from './style.ts';

/** What a store has, for its spec: data and pure functions. */
export interface StoreSpec {
  /** What can be done with its files. */
  readonly actions: readonly Action[];
  /** How they are named. */
  readonly naming: Naming;
  /** Further parameters of actions, with their documentation. */
  readonly parameters?: Readonly<Partial<Record<Action, Readonly<Record<string, string>>>>> | undefined;
  /** Why a constant value of one of those is refused. */
  readonly checkParameter?: ((name: string, value: unknown) => string | undefined) | undefined;
}

const table = ['delimiter', 'no_header', 'columns', 'sheet'];
const reading = ['format', ...table, 'comment', 'trim_space', 'skip_rows'];
const writing = ['content', 'format', ...table];

/** Parameters of the actions besides the path. */
const taken: Readonly<Record<Action, readonly string[]>> = {
  read: reading,
  download: ['filename', 'content_type'],
  write: [...writing, 'append'],
  append: writing,
  delete: [],
  exists: [],
  stat: [],
  list: ['recursive', 'pattern'],
  copy: [],
  move: [],
  mkdir: [],
  presign_get: ['expires', 'expires_in'],
  presign_put: ['expires', 'expires_in'],
};

export const appendingSays = 'must be false: a file cannot be continued here, only replaced';

/** Actions that name two files. */
const pairs: readonly Action[] = ['copy', 'move'];

const docs: Readonly<Record<string, string>> = {
  path: 'The file or folder; `target` gives it as well.',
  key: 'The object; `target` and `path` give it as well.',
  content:
    'What is written: a text, bytes or a file as they are, anything else in the format; the payload when absent.',
  append: 'Writes behind what the file has.',
  format: 'Format of the file; otherwise its name decides, then the connector.',
  filename: 'Name under which the file is passed on; its own when absent.',
  content_type: 'Media type under which the file is passed on, or is stored; otherwise the format decides.',
  recursive: 'Lists what is in the folders too.',
  prefix: 'Lists only what begins with this.',
  pattern: 'Lists only files of this pattern (`*`, `?`, `[a-z]`, `**/`).',
  source: 'The file that is copied or moved.',
  destination: 'Where it is afterwards; a file that is there is replaced.',
  expires: 'How long the link is valid, such as "15m".',
  expires_in: 'The same in seconds.',
  delimiter: 'One character between cells, or tab, semicolon, pipe.',
  no_header: 'The table has no header.',
  columns: 'Names of the columns in their order.',
  sheet: 'Name of the sheet.',
  comment: 'Lines that begin with this are passed over.',
  trim_space: 'Removes blanks around cells.',
  skip_rows: 'Lines before the table that are passed over.',
};

/** Actions that take the root of the store where nothing is named. */
const ofRoot: readonly Action[] = ['read', 'list'];

/** What `params` may say of an action. */
export function parametersOf(
  operation: string | undefined,
  named: ConnectorValues | undefined,
  store: StoreSpec,
  config?: ConnectorValues,
): OperationParameters | undefined {
  // Without an operation, what is done follows from the flow, which reads or writes.
  const asked = operation === undefined ? (['read', 'write'] as const) : [actionNamed(operation, store.actions)];
  const own = asked.flatMap((action) => (action === undefined ? [] : [action]));
  if (own.length === 0) return undefined;
  const further = Object.assign({}, ...own.map((action) => store.parameters?.[action]));
  const check = (name: string, value: unknown) => {
    if (name === 'append' && value === true && !store.actions.includes('append')) return appendingSays;
    return store.checkParameter?.(name, value) ?? checkValue(name, value, store.naming, config);
  };
  if (own.every((action) => pairs.includes(action)))
    return { needs: ['source', 'destination'], takes: Object.keys(further), docs: { ...docs, ...further }, check };
  const { naming } = store;
  const inPattern = patternNames(named);
  const needsPath = inPattern === undefined && !own.some((action) => ofRoot.includes(action));
  const ofFlat = naming.isFlat && own.includes('list') ? ['prefix'] : [];
  const known = own.flatMap((action) => taken[action]);
  const takes = [...new Set([...known, ...ofFlat, ...Object.keys(further), ...(inPattern ?? [])])];
  return {
    needs: needsPath ? [naming.named] : [],
    takes: [...new Set(needsPath ? takes : ['path', naming.named, ...takes])],
    byTarget: naming.named,
    ...(naming.named === 'key' && { synonyms: { path: 'key' } }),
    docs: { ...docs, ...further },
    check,
  };
}

function patternNames(named: ConnectorValues | undefined): readonly string[] | undefined {
  const pattern = named?.['path_pattern'];
  return typeof pattern === 'string' ? namesIn(pattern) : undefined;
}

/** Why a parameter that is the same for every message is malformed. */
function checkValue(
  name: string,
  value: unknown,
  naming: Naming,
  config: ConnectorValues | undefined,
): string | undefined {
  if (['path', 'key', 'prefix', 'source', 'destination'].includes(name))
    return typeof value !== 'string' ? 'must be a text' : naming.problem(value, config);
  if (name === 'append' || name === 'recursive')
    return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (name === 'pattern') return typeof value === 'string' ? globProblem(value) : 'must be a text';
  if (name === 'filename' || name === 'content_type')
    return typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty';
  if (name === 'expires' || name === 'expires_in') return lifetimeOf(value) === undefined ? lifetimeSays : undefined;
  return styleProblem(name, value);
}
