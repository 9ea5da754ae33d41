import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  CodeActionRequest,
  type CompletionList,
  CompletionRequest,
  DefinitionRequest,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  FoldingRangeRequest,
  HoverRequest,
  InlayHintRequest,
  type Location,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  type SemanticTokensLegend,
  SemanticTokensRequest,
  SignatureHelpRequest,
  type TextDocumentEdit,
  type WorkspaceEdit,
  WorkspaceSymbolRequest,
} from 'vscode-languageserver-protocol/node';
import { EditorClient } from './client.ts';

const service = `service {
  name = "members"
}
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "members.db"
}
`;

const flow = `# Ünïcödé 🙂 is before everything
flow "register" {
  from {
    connector = "api"
    operation = "POST /members"
  }
  step "user" {
    connector = "db"
    query     = "SELECT 1"
  }
  transform {
    name = "lower(input.name) + '🙂' + step.user.name"
  }
  to {
    connector = "db"
    target    = "members"
  }
}
`;

const clients: EditorClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) expect(await client.close()).toBe(0);
});

async function open(files: Readonly<Record<string, string>>, words?: readonly string[]): Promise<EditorClient> {
  const client = await EditorClient.open(files, words);
  clients.push(client);
  return client;
}

async function opened(): Promise<EditorClient> {
  const client = await open({ 'service.hcl': service, 'flows/register.hcl': flow });
  await client.show('flows/register.hcl', flow);
  return client;
}

test('problems of the folder come by themselves and follow what is typed', async () => {
  const client = await open({ 'service.hcl': service, 'flow.hcl': flow.replace('"api"', '"apy"') });
  const { diagnostics } = await client.problems('flow.hcl', ['unknown-connector']);
  expect(diagnostics).toEqual([
    {
      range: { start: { line: 3, character: 16 }, end: { line: 3, character: 21 } },
      severity: 1,
      code: 'unknown-connector',
      source: 'svc',
      message: 'there is no connector named "apy"\nDid you mean "api"? These exist: api, db.',
    },
  ]);
  await client.show('flow.hcl', flow.replace('"api"', '"apy"'));
  await client.type('flow.hcl', '"apy"', '"api"');
  await client.problems('flow.hcl', []);
  await client.type('flow.hcl', 'lower(input', 'lowr(input');
  const { diagnostics: again, version } = await client.problems('flow.hcl', ['invalid-expression']);
  expect({ version, range: again[0]?.range }).toEqual({
    version: 3,
    range: { start: { line: 11, character: 12 }, end: { line: 11, character: 16 } },
  });
});

test('completion gives edits and snippets; the order is that of the service', async () => {
  const client = await opened();
  await client.type('flows/register.hcl', 'step.user.name', 'step.');
  const at = client.behind('flows/register.hcl', '+ step.');
  const list = (await client.connection.sendRequest(CompletionRequest.type, at)) as CompletionList;
  expect(list.items[0]).toEqual({
    label: 'user',
    kind: 5,
    detail: 'result of step "user"',
    sortText: '0000',
    filterText: 'user',
    insertTextFormat: 1,
    textEdit: { range: { start: at.position, end: at.position }, newText: 'user' },
  });
  await client.type('flows/register.hcl', '  to {', '  res\n  to {');
  const word = client.behind('flows/register.hcl', '  res');
  const blocks = (await client.connection.sendRequest(CompletionRequest.type, word)) as CompletionList;
  expect(blocks.items.find(({ label }) => label === 'response')).toMatchObject({
    insertTextFormat: 2,
    textEdit: {
      range: { start: { line: word.position.line, character: 2 }, end: word.position },
      newText: 'response {\n  $0\n}',
    },
  });
});

test('hover, signature help, definition, references', async () => {
  const client = await opened();
  const path = 'flows/register.hcl';
  expect(await client.connection.sendRequest(HoverRequest.type, client.behind(path, '"low'))).toMatchObject({
    contents: { kind: 'markdown' },
    range: { start: { line: 11, character: 12 }, end: { line: 11, character: 17 } },
  });
  expect(await client.connection.sendRequest(SignatureHelpRequest.type, client.behind(path, 'lower(in'))).toEqual({
    signatures: [
      {
        label: 'lower(text: string) -> string',
        documentation: 'The text in lower case.',
        parameters: [{ label: 'text: string' }],
      },
    ],
    activeSignature: 0,
    activeParameter: 0,
  });
  const declared = {
    uri: client.uri('service.hcl'),
    range: { start: { line: 7, character: 11 }, end: { line: 7, character: 13 } },
  };
  expect(await client.connection.sendRequest(DefinitionRequest.type, client.behind(path, 'connector = "d'))).toEqual([
    declared,
  ]);
  const references = await client.connection.sendRequest(ReferencesRequest.type, {
    ...client.behind(path, 'connector = "d'),
    context: { includeDeclaration: true },
  });
  expect(references?.map(({ uri, range }) => [uri, range.start.line])).toEqual([
    [client.uri(path), 7],
    [client.uri(path), 14],
    [client.uri('service.hcl'), 7],
  ]);
});

test('hints are behind values', async () => {
  const client = await opened();
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = { ...client.document('flows/register.hcl'), range };
  await client.type('flows/register.hcl', "lower(input.name) + '🙂' + step.user.name", 'lower(input.name)');
  expect(await client.connection.sendRequest(InlayHintRequest.type, hints)).toEqual([
    { position: { line: 11, character: 30 }, label: ': string', kind: 1, paddingLeft: true },
  ]);
});

test('rename across files, and why it was refused', async () => {
  const client = await opened();
  const at = client.behind('flows/register.hcl', 'connector = "d');
  expect(await client.connection.sendRequest(PrepareRenameRequest.type, at)).toMatchObject({ placeholder: 'db' });
  const edit = await client.connection.sendRequest(RenameRequest.type, { ...at, newName: 'store' });
  expect(changesOf(edit).map(({ textDocument, edits }) => [textDocument, edits.map(newTextOf)])).toEqual([
    [{ uri: client.uri('flows/register.hcl'), version: 1 }, ['store', 'store']],
    [{ uri: client.uri('service.hcl'), version: null }, ['store']],
  ]);
  await expect(client.connection.sendRequest(RenameRequest.type, { ...at, newName: 'api' })).rejects.toThrow(
    'there is a connector "api" already',
  );
  const step = client.behind('flows/register.hcl', "'🙂' + step.us");
  const inner = await client.connection.sendRequest(RenameRequest.type, { ...step, newName: 'person' });
  expect(changesOf(inner).flatMap(({ edits }) => edits.map((one) => 'range' in one && one.range.start))).toEqual([
    { line: 6, character: 8 },
    { line: 11, character: 44 },
  ]);
});

/** What an edit changes, document by document, each with the version that it is of. */
function changesOf(edit: WorkspaceEdit | null): readonly TextDocumentEdit[] {
  return (edit?.documentChanges ?? []).filter((change): change is TextDocumentEdit => 'textDocument' in change);
}

function newTextOf(edit: object): string | undefined {
  return 'newText' in edit ? String(edit.newText) : undefined;
}

test('an edit is of the version that the editor has now', async () => {
  const client = await opened();
  await client.type('flows/register.hcl', '"user"', '"users"');
  const at = client.behind('flows/register.hcl', 'connector = "d');
  const edit = await client.connection.sendRequest(RenameRequest.type, { ...at, newName: 'store' });
  expect(changesOf(edit).map(({ textDocument }) => textDocument)).toEqual([
    { uri: client.uri('flows/register.hcl'), version: 2 },
    { uri: client.uri('service.hcl'), version: null },
  ]);
});

test('symbols, folding, formatting and fixes', async () => {
  const client = await opened();
  const path = 'flows/register.hcl';
  const symbols = await client.connection.sendRequest(DocumentSymbolRequest.type, client.document(path));
  expect(symbols?.map(({ name }) => name)).toEqual(['register']);
  const found = await client.connection.sendRequest(WorkspaceSymbolRequest.type, { query: 'api' });
  expect(found?.map(({ name, location }) => [name, location.uri])).toEqual([['api', client.uri('service.hcl')]]);
  const folds = await client.connection.sendRequest(FoldingRangeRequest.type, client.document(path));
  expect(folds?.[0]).toEqual({ startLine: 1, endLine: 16, kind: 'region' });
  await client.type(path, '    target    = "members"', 'target="members"');
  const edits = await client.connection.sendRequest(DocumentFormattingRequest.type, {
    ...client.document(path),
    options: { tabSize: 2, insertSpaces: true },
  });
  expect(edits?.length).toBeGreaterThan(0);
  await client.type(path, 'flow "register"', 'flw "register"');
  const { diagnostics } = await client.problems(path, ['unknown-block']);
  const actions = await client.connection.sendRequest(CodeActionRequest.type, {
    ...client.document(path),
    range: diagnostics[0]!.range,
    context: { diagnostics },
  });
  expect(actions).toMatchObject([{ title: 'Change to "flow"', kind: 'quickfix' }]);
});

test('what is missing is created, in a new file where the editor can make one', async () => {
  const client = await open({ 'flows/x.hcl': flow.replaceAll('"db"', '"api"'), 'service.hcl': 'service {}\n' });
  await client.show('flows/x.hcl', flow.replaceAll('"db"', '"api"'));
  const { position } = client.behind('flows/x.hcl', 'connector = "a');
  const actions = await client.connection.sendRequest(CodeActionRequest.type, {
    ...client.document('flows/x.hcl'),
    range: { start: position, end: position },
    context: { diagnostics: [] },
  });
  const uri = client.uri('connectors/api.hcl');
  const start = { line: 0, character: 0 };
  expect(actions).toMatchObject([
    {
      title: 'Create missing connector "api"',
      isPreferred: false,
      edit: {
        documentChanges: [
          { kind: 'create', uri },
          {
            textDocument: { uri, version: null },
            edits: [{ range: { start, end: start }, newText: 'connector "api" {\n  type = "rest"\n}\n' }],
          },
        ],
      },
    },
  ]);
});

test('tokens, and what a canvas and a debugger ask', async () => {
  const client = await opened();
  const document = client.document('flows/register.hcl');
  const tokens = await client.connection.sendRequest(SemanticTokensRequest.type, document);
  const { tokenTypes } = client.result.capabilities.semanticTokensProvider!.legend as SemanticTokensLegend;
  expect(tokens?.data.slice(0, 10)).toEqual([
    ...[1, 0, 4, tokenTypes.indexOf('keyword'), 0],
    ...[0, 5, 10, tokenTypes.indexOf('type'), 0],
  ]);
  const outline = await client.connection.sendRequest<Outline>('svc/outline', document);
  expect(
    [...outline.flows, ...outline.connectors].map(({ id, location }) => [id, location.uri, location.range.start.line]),
  ).toEqual([
    ['flow register', client.uri('flows/register.hcl'), 1],
    ['connector api', client.uri('service.hcl'), 3],
    ['connector db', client.uri('service.hcl'), 7],
  ]);
  expect(outline.edges.map(({ direction, connector }) => `${direction} ${connector}`)).toEqual([
    'in connector api',
    'out connector db',
    'out connector db',
  ]);
  expect(await client.connection.sendRequest('svc/stops', { ...document, line: 11 })).toEqual([
    {
      flow: 'register',
      stage: 'transform',
      name: '',
      ruleIndex: 0,
      location: {
        uri: client.uri('flows/register.hcl'),
        range: { start: { line: 11, character: 11 }, end: { line: 11, character: 54 } },
      },
    },
  ]);
});

interface Outline {
  readonly flows: readonly { readonly id: string; readonly location: Location }[];
  readonly connectors: readonly { readonly id: string; readonly location: Location }[];
  readonly edges: readonly { readonly direction: string; readonly connector: string }[];
}

test('files that change outside of the editor count, and so does .env', async () => {
  const client = await open({ 'service.hcl': service.replace('3000', 'env("PORT")'), 'flow.hcl': flow });
  await client.until(() => (client.registered.length > 0 ? true : undefined));
  expect(client.registered).toEqual(['workspace/didChangeWatchedFiles']);
  await client.problems('service.hcl', ['unset-variable']);
  const changed = async (path: string, type: 1 | 2 | 3) =>
    client.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: client.uri(path), type }],
    });
  await writeFile(join(client.directory, '.env'), 'PORT=3000\n');
  await changed('.env', 1);
  await client.problems('service.hcl', []);
  await writeFile(join(client.directory, 'more.hcl'), 'flow "register" {}\n');
  await changed('more.hcl', 1);
  await client.problems('more.hcl', ['missing-block', 'duplicate-name']);
  await rm(join(client.directory, 'more.hcl'));
  await changed('more.hcl', 3);
  await client.problems('more.hcl', []);
});

test('a closed document is what is stored', async () => {
  const client = await opened();
  await client.type('flows/register.hcl', '"api"', '"apy"');
  await client.problems('flows/register.hcl', ['unknown-connector']);
  await client.connection.sendNotification(
    DidCloseTextDocumentNotification.type,
    client.document('flows/register.hcl'),
  );
  await client.problems('flows/register.hcl', []);
});

test('-c names the directory below the folder', async () => {
  const client = await open({ 'deploy/service.hcl': service, 'other/x.hcl': 'flow {}' }, ['-c', 'deploy']);
  await client.show('deploy/service.hcl', service.replace('sqlite', 'sqlit'));
  await client.problems('deploy/service.hcl', ['unknown-driver']);
});

describe('hostile clients', () => {
  test('requests for nothing are answered, wrong ones refused', async () => {
    const client = await opened();
    const { connection } = client;
    const elsewhere = { textDocument: { uri: 'untitled:x' }, position: { line: 0, character: 0 } };
    expect(await connection.sendRequest(HoverRequest.type, elsewhere)).toBeNull();
    const far = { ...client.document('flows/register.hcl'), position: { line: 9999, character: 9999 } };
    expect(await connection.sendRequest(HoverRequest.type, far)).toBeNull();
    await expect(connection.sendRequest('textDocument/hover', {})).rejects.toThrow('textDocument is needed');
    await expect(connection.sendRequest('svc/nothing', {})).rejects.toThrow('there is no method svc/nothing');
  });

  test('after a shutdown every request is refused, and the process ends well', async () => {
    const client = await EditorClient.open({ 'service.hcl': service });
    await client.connection.sendRequest('shutdown');
    const at = { ...client.document('service.hcl'), position: { line: 0, character: 0 } };
    for (const method of ['textDocument/hover', 'shutdown', 'initialize', 'svc/outline'])
      await expect(client.connection.sendRequest(method, at)).rejects.toMatchObject({ code: -32600 });
    expect(await client.leave()).toBe(0);
  });
});
