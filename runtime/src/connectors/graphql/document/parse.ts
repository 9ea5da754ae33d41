import { Cursor, type DocumentProblem, Malformed } from './cursor.ts';

/** What a document asks: its one operation, and what its variables are. */
export interface AskedDocument {
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  readonly variables: readonly DeclaredVariable[];
  /** The keys that the answer has at its root; undefined where a fragment selects them. */
  readonly keys: readonly string[] | undefined;
}

export interface DeclaredVariable {
  readonly name: string;
  /** Its type as it is written, without blanks: `[ID!]!`. */
  readonly type: string;
  /** Neither null nor absent is allowed. */
  readonly isRequired: boolean;
}

/**
 * Reads an executable document (GraphQL, October 2021, section 2) with exactly one operation, whose variables and fragments
 * are those that it uses. Gives what is wrong with it otherwise. Small and free of libraries: it runs while people type.
 */
export function readDocument(text: string): AskedDocument | DocumentProblem {
  try {
    const cursor = new Cursor(text);
    const operations: AskedDocument[] = [];
    const fragments: string[] = [];
    const used = { variables: new Set<string>(), fragments: new Set<string>() };
    cursor.used = used;
    do {
      if (cursor.isName('fragment')) fragments.push(fragment(cursor));
      else {
        if (operations.length === 1) cursor.fail('the document has more than one operation: write one');
        operations.push(operation(cursor));
      }
    } while (!cursor.isAtEnd);
    const [only] = operations;
    if (only === undefined) return cursor.fail('the document has no operation');
    const declared = only.variables.map(({ name }) => name);
    const missing = [...used.variables].find((name) => !declared.includes(name));
    if (missing !== undefined) cursor.fail(`the document uses $${missing}, which its operation does not declare`);
    const idle = declared.find((name) => !used.variables.has(name));
    if (idle !== undefined) cursor.fail(`the document declares $${idle} and does not use it`);
    const unknown = [...used.fragments].find((name) => !fragments.includes(name));
    if (unknown !== undefined) cursor.fail(`the document has no fragment ${unknown}`);
    const unused = fragments.find((name) => !used.fragments.has(name));
    if (unused !== undefined) cursor.fail(`the document does not use its fragment ${unused}`);
    const twice = declared.find((name, at) => declared.indexOf(name) < at);
    if (twice !== undefined) cursor.fail(`the document declares $${twice} twice`);
    if (only.type === 'subscription' && only.keys !== undefined && new Set(only.keys).size !== 1)
      cursor.fail('a subscription selects exactly one field');
    return only;
  } catch (error) {
    if (error instanceof Malformed) return error.problem;
    throw error;
  }
}

/** Whether a document cannot be read. */
export function isProblem(read: AskedDocument | DocumentProblem): read is DocumentProblem {
  return 'message' in read;
}

/** What is wrong, with its place in the document. */
export function describeProblem({ message, line, column }: DocumentProblem): string {
  return `${message} (line ${line}, column ${column} of the document)`;
}

const types = ['query', 'mutation', 'subscription'] as const;

function operation(cursor: Cursor): AskedDocument {
  if (cursor.is('{')) return { type: 'query', name: undefined, variables: [], keys: selections(cursor) };
  const type = types.find((each) => cursor.isName(each));
  if (type === undefined) return cursor.unexpected('query, mutation, subscription or fragment');
  cursor.next();
  const name = cursor.kind === 'name' ? cursor.name() : undefined;
  const variables: DeclaredVariable[] = [];
  if (cursor.skip('('))
    do variables.push(variable(cursor));
    while (!cursor.skip(')'));
  directives(cursor, false);
  return { type, name, variables, keys: selections(cursor) };
}

function variable(cursor: Cursor): DeclaredVariable {
  cursor.expect('$');
  const name = cursor.name();
  cursor.expect(':');
  const type = typeReference(cursor);
  const hasDefault = cursor.skip('=');
  if (hasDefault) value(cursor, true);
  directives(cursor, true);
  return { name, type, isRequired: type.endsWith('!') && !hasDefault };
}

function typeReference(cursor: Cursor): string {
  const inner = cursor.skip('[')
    ? cursor.within(() => {
        const item = typeReference(cursor);
        cursor.expect(']');
        return `[${item}]`;
      })
    : cursor.name();
  return cursor.skip('!') ? `${inner}!` : inner;
}

function fragment(cursor: Cursor): string {
  cursor.next();
  if (cursor.isName('on')) cursor.fail('a fragment cannot be named "on"');
  const name = cursor.name();
  if (!cursor.isName('on')) cursor.unexpected('on');
  cursor.next();
  cursor.name();
  directives(cursor, false);
  selections(cursor);
  return name;
}

/** The keys of the fields; undefined where fragments add others. */
function selections(cursor: Cursor): readonly string[] | undefined {
  return cursor.within(() => {
    cursor.expect('{');
    const keys: string[] = [];
    let isKnown = true;
    do {
      if (cursor.skip('...')) {
        isKnown = false;
        spread(cursor);
      } else keys.push(field(cursor));
    } while (!cursor.skip('}'));
    return isKnown ? keys : undefined;
  });
}

function field(cursor: Cursor): string {
  const first = cursor.name();
  if (cursor.skip(':')) cursor.name();
  callArguments(cursor, false);
  directives(cursor, false);
  if (cursor.is('{')) selections(cursor);
  return first;
}

function spread(cursor: Cursor): void {
  if (cursor.kind === 'name' && !cursor.isName('on')) {
    cursor.used?.fragments.add(cursor.name());
    return directives(cursor, false);
  }
  if (cursor.isName('on')) {
    cursor.next();
    cursor.name();
  }
  directives(cursor, false);
  selections(cursor);
}

function callArguments(cursor: Cursor, isConstant: boolean): void {
  if (!cursor.skip('(')) return;
  do {
    cursor.name();
    cursor.expect(':');
    value(cursor, isConstant);
  } while (!cursor.skip(')'));
}

function directives(cursor: Cursor, isConstant: boolean): void {
  while (cursor.skip('@')) {
    cursor.name();
    callArguments(cursor, isConstant);
  }
}

function value(cursor: Cursor, isConstant: boolean): void {
  if (cursor.kind === 'number' || cursor.kind === 'string' || cursor.kind === 'name') return cursor.next();
  if (cursor.is('$')) {
    if (isConstant) cursor.fail('a value here cannot be a variable');
    cursor.next();
    cursor.used?.variables.add(cursor.name());
    return;
  }
  cursor.within(() => {
    if (cursor.skip('[')) {
      while (!cursor.skip(']')) value(cursor, isConstant);
      return;
    }
    if (!cursor.skip('{')) cursor.unexpected('a value');
    while (!cursor.skip('}')) {
      cursor.name();
      cursor.expect(':');
      value(cursor, isConstant);
    }
  });
}
