import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest, Execute } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { formatOfFile } from '../../platform/formats/files/registry.ts';
import { compileKeyPattern } from '../core/key-pattern.ts';
import { type Action, actionNamed, actionOf } from './actions.ts';
import type { Engine } from './engine.ts';
import type { Naming } from './naming.ts';
import type { Exchange, FileStore } from './store.ts';
import { type Style, styleIn } from './style.ts';

/** The words of a call that no message changes. */
export interface FileWords {
  readonly format?: Style['format'] | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** One call for one message. */
export interface Call {
  readonly engine: Engine;
  readonly store: FileStore;
  readonly action: Action;
  readonly exchange: Exchange;
  readonly request: CallRequest;
  /** Parameters of the call, those of a named operation among them. */
  readonly params: Fields;
  /** Its format is that of the call, if it says one. */
  readonly style: Style;
  /** A call answers a value, a list even of one row; a read answers rows. */
  readonly isCall: boolean;
  /** See `CallDescription.exact`. */
  readonly exact: boolean;
  /** See `CallDescription.binary`. */
  readonly binary: boolean;
  /** Place of the configuration, for messages: `flow "f" (step "read")`. */
  readonly where: string;
  /** The file that is asked for, below the root. */
  readonly path: Path;
}

export interface Path {
  readonly place: string;
  /** It is written as a folder: empty, or with `/` at its end. */
  readonly isFolder: boolean;
  /** Nothing names it. */
  readonly isAbsent: boolean;
}

export type Perform = (call: Call) => Promise<CallResult>;

/** What is decided of a call before any message. */
export interface PreparedCall {
  readonly action: Action;
  begin(request: CallRequest, exchange: Exchange): Call;
}

/** Decides it. Throws a Failure for a call that cannot be carried out. */
export function prepare(engine: Engine, call: CallDescription): PreparedCall {
  const where = `flow "${call.flow}" (${call.label})`;
  const { operation, verb, exact, binary = false } = call;
  const action = operation === undefined ? actionOf(verb) : actionNamed(operation, engine.spec.actions);
  if (action === undefined)
    throw new Failure('connector_failed', `${where}: "${operation}" is unknown`, { retriable: false });
  const words = (call.words ?? {}) as FileWords;
  const named = (call.named ?? {}) as FileWords & { readonly path_pattern?: string };
  const format = words.format ?? named.format;
  const style: Style = { ...engine.style, ...(format !== undefined && { format }) };
  const pathOf = paths(engine, call, named.path_pattern);
  return {
    action,
    begin: (request, exchange) => {
      const params = paramsOf(request);
      const store = engine.store();
      const own = styleIn(params, style);
      const path = pathOf(request, params);
      const isCall = verb === 'call';
      return { engine, store, action, exchange, request, params, style: own, isCall, exact, binary, where, path };
    },
  };
}

/** The call of each message, or a call that fails with the reason why it cannot be carried out. */
export function prepareCall(
  engine: Engine,
  call: CallDescription,
  performers: Readonly<Partial<Record<Action, Perform>>>,
): Execute {
  const prepared = prepare(engine, call);
  const perform = performers[prepared.action] as Perform;
  const timeout = call.timeout ?? engine.timeout;
  return (request) => {
    engine.store();
    return engine.exchanges.run(request, timeout, (exchange) => perform(prepared.begin(request, exchange)));
  };
}

/** The answer of a call that gives rows. */
export function asRows({ isCall }: Call, rows: CallResult['rows'] & object): CallResult {
  return isCall ? { value: rows } : { rows };
}

/** The format of a file: that of the call, that of its name, that of the connector. */
export function formatOf({ style, engine, path }: Pick<Call, 'style' | 'engine' | 'path'>) {
  return style.format ?? formatOfFile(path.place) ?? engine.format;
}

/** The same of a file that is read. */
export function readFormatOf(call: Pick<Call, 'style' | 'engine' | 'path'>) {
  const { readFormat } = call.engine;
  if (readFormat === undefined || call.style.format !== undefined) return formatOf(call);
  return formatOfFile(call.path.place) ?? readFormat;
}

/** The file of an action that needs one. */
export function fileOf({ path, action, engine }: Call): string {
  const { naming } = engine.spec;
  if (path.place !== '') return path.place;
  if (!path.isAbsent) throw new Failure('value_refused', `${action} needs a file, and ${naming.emptySays}`);
  const message = `${action} needs a file: write target, or params = { ${naming.named} = "…" }`;
  throw new Failure('connector_failed', message, { retriable: false });
}

/** One of the two files of an action on two. */
export function pairedFile({ params, action, engine }: Call, name: 'source' | 'destination'): string {
  const { naming } = engine.spec;
  const place = naming.placeOf(textOf(params[name], name), name);
  if (place !== '') return place;
  throw new Failure('value_refused', `${action} needs a file in "${name}", and ${naming.emptySays}`);
}

function paths({ spec: { naming } }: Engine, { target }: CallDescription, pattern: string | undefined) {
  if (pattern !== undefined) {
    const fill = compileKeyPattern(pattern, nameText);
    const missing = (field: string) =>
      new Failure('parameters_invalid', `the path of the file needs "${field}"`, {
        fields: [{ field, code: 'required', message: 'must be a name without separators' }],
      });
    return ({ params, payload, filters, address, input }: CallRequest): Path => {
      const places = [params as Fields | undefined, payload, filters, address, input];
      const written = fill((name) => places.find((place) => place?.[name] !== undefined)?.[name], missing);
      return pathFrom(naming, written, naming.named);
    };
  }
  const constant = target === undefined ? undefined : pathFrom(naming, target, 'target');
  return (request: CallRequest, params: Fields): Path => {
    const written = params[naming.named] ?? params['path'];
    if (written !== undefined) return pathFrom(naming, textOf(written, naming.named), naming.named);
    if (constant !== undefined) return constant;
    return request.target === undefined
      ? { place: '', isFolder: true, isAbsent: true }
      : pathFrom(naming, request.target, 'target');
  };
}

function pathFrom(naming: Naming, written: string, field: string): Path {
  return { place: naming.placeOf(written, field), isFolder: naming.isFolder(written), isAbsent: false };
}

/** The text of a value in a pattern: one name, which leads to no other folder. */
function nameText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  if (typeof text !== 'string' || text === '.' || text === '..') return undefined;
  return /[/\\\0]/.test(text) ? undefined : text;
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const message = `the path in "${field}" must be a text`;
  throw new Failure('value_refused', message, { fields: [{ field, code: 'type_mismatch', message }] });
}

function paramsOf({ params }: CallRequest): Fields {
  return params === undefined || Array.isArray(params) ? {} : (params as Fields);
}
