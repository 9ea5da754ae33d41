import { expect, test } from 'vitest';
import { connectors } from '../../runtime/src/connectors/catalog.ts';
import { engines } from '../../runtime/src/connectors/database/engines.ts';
import { filesOfFolders, isTest, readSources, type Source } from './sources.ts';

/** A thing whose name is known to its folder, and to the list that it is in. */
interface Named {
  readonly words: readonly string[];
  readonly home: string;
  readonly list: string;
}

const databases = 'runtime/src/connectors/database';

/** What may be named nowhere else, not even in a comment. */
const named: readonly Named[] = Object.entries(engines).map(([folder, { spec, dialect }]) => ({
  words: [folder, spec.canonical, dialect.title, ...spec.driverAliases],
  home: `${databases}/${folder}/`,
  list: `${databases}/engines.ts`,
}));

/** Files that need such a thing and no connector, and what for. */
const alsoNamed: Readonly<Record<string, string>> = {
  'runtime/src/engine/plugins/install/exclusive.ts':
    'the lock of its file, which the system takes from a process that is killed',
};

const sources = readSources().filter(
  ({ path }) => /^(protocol|runtime|studio)\/src\//.test(path) && !isTest(path) && !path.endsWith('/testing.ts'),
);

test.each(named)('only $home and its list name what is in it', ({ words, home, list }) => {
  const name = new RegExp(`(?<![A-Za-z0-9])(${words.join('|')})`, 'i');
  const found = sources
    .filter(({ path }) => !path.startsWith(home) && path !== list && !Object.hasOwn(alsoNamed, path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => (name.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});

/** Words of connectors that are words of the language, of protocols or of English too, and what they mean there. */
const ordinary: Readonly<Record<string, string>> = {
  rest: 'what remains',
  http: 'the protocol; a kind of connectors and of failures',
  graphql: 'the query language, and its protocol',
  soap: 'the protocol',
  grpc: 'the protocol, whose statuses answers of flows may have',
  server: 'who is asked',
  client: 'who asks',
  database: 'what relational engines share',
  cache: 'a stage of flows, and what entries are kept in',
  memory: 'where a process keeps things',
  search: 'what looks for something',
  file: 'bytes under a name',
  pdf: 'the media type of documents',
  local: 'of this machine, or of this place',
  exec: 'what regular expressions and transactions do',
  ssh: 'the protocol, of files too',
  webhook: 'a request that says what happened; chats have some of their own',
  email: 'an address of a person, and the form of a text that is one',
  send: 'what channels of notifications, connections and tests do',
  receive: 'what servers and connections do',
  sms: 'text messages, a factor of sign-in too',
  push: 'a method of lists, and what is sent to clients unasked',
  oauth: 'the protocol',
  oidc: 'the protocol, whose client is in a folder of its own; blocks of sign-in',
  custom: 'made for one purpose',
  web_idp: 'a block of sign-in too',
  code_host_idp: 'a block of sign-in too',
  device_idp: 'a block of sign-in too',
  google: 'a part of addresses',
  github: 'a part of addresses',
  apple: 'a part of addresses',
  tcp: 'the transport below most others, and a scheme of addresses',
};
/** Such words that are not texts of their own: in quotes they are the name of a connector. */
const quoted = ['redis', 'websocket'];
/** What blocks of flows keep in a store of their own goes by the same drivers. */
const ownStores = { home: 'runtime/src/platform/sync/', words: ['redis', 'memory', 'kv_store'] };

const folderOf = (key: string) => `runtime/src/connectors/${key.split('/')[0]}/`;
const list = 'runtime/src/connectors/catalog.ts';

/**
 * Protocols with their versions are documents, a package has its name, examples show configurations, an `<input>` has a type, and a connection
 * changes to the protocol that its header names (RFC 6455, section 4.2.1).
 */
function read({ path, text }: Source): string {
  const blank = (found: string) => found.replace(/[^\n]/g, ' ');
  const plain = path.endsWith('.tsx') ? text.replace(/\btype="search"/g, blank) : text;
  return plain
    .replace(/\bprotocol: 'websocket',/g, blank)
    .replace(/\b(?:AMQP 0-9-1|MQTT 3\.1\.1|graphql-sse)\b/g, blank)
    .replace(/\bexample:\s*(?:`[^`]*`|'(?:[^'\\\n]|\\.)*')/g, blank);
}

function nameOf(word: string): RegExp {
  if (word in ordinary) {
    const compared = `\\b(?:type|driver|canonical)\\s*[=!]==?\\s*['"]${word}['"]`;
    const written = `\\b(?:type|driver)\\s*=\\s*\\\\?"${word}\\b`;
    const listed = `\\bnew Set\\(\\[[^\\]]*['"]${word}['"]`;
    const kindOfIt = `\\b${word}: '(?:api|db|queue|http|cache|file|notify|time)'`;
    return new RegExp([compared, written, listed, kindOfIt].join('|'), 'i');
  }
  if (quoted.includes(word)) return new RegExp(`['"]${word}\\\\?['"]`, 'i');
  return new RegExp(`(?<![A-Za-z0-9])${word}(?![a-z])`, 'i');
}

const texts = sources.map((source) => ({ ...source, lines: read(source).split('\n') }));
const words = Object.entries(connectors).flatMap(([key, { type, driver, canonical, typeAliases, driverAliases }]) =>
  [type, driver, canonical, ...typeAliases, ...driverAliases].flatMap((word) =>
    word === undefined || (key.startsWith('database/') && word !== type) ? [] : { word, home: folderOf(key) },
  ),
);
const folders = Map.groupBy(words, ({ word }) => word);

test.each([...folders])('connectors alone say %s of themselves', (word, named) => {
  const homes = [...named.map(({ home }) => home), ...(ownStores.words.includes(word) ? [ownStores.home] : [])];
  const name = nameOf(word);
  const found = texts
    .filter(({ path }) => path !== list && !homes.some((home) => path.startsWith(home)))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, at) => (name.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});

test.each([
  ['rest', "if (spec.type === 'rest') return;"],
  ['http', "specs.every(({ type }) => type === 'http')"],
  ['http', `help: 'Use a connector with type = "http".',`],
  ['memory', "if (written?.driver !== 'memory') return;"],
  ['http', "const listening = new Set(['http', 'rest']);"],
  ['rest', "const kinds = { rest: 'api', database: 'db' };"],
  ['mqtt', '/** Like MQTT. */'],
  ['amqp_broker', "canonical: 'amqp_broker'"],
])('the name %s is found in: %s', (word, line) => {
  expect(line).toMatch(nameOf(word));
});

test('no one imports from the folder of a connector but its list', () => {
  // Of relational engines, what they share may be imported; the folders of the engines are looked at above.
  const homes = new Set(
    Object.keys(connectors)
      .map(folderOf)
      .filter((home) => home !== `${databases}/`),
  );
  const found = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ file }) => {
      const home = [...homes].find((each) => file?.startsWith(each));
      const isShared = file !== undefined && filesOfFolders.test(file);
      const mayImport = home === undefined || isShared || path.startsWith(home) || path === list;
      return mayImport ? [] : [`${path} imports ${file}`];
    }),
  );
  expect(found).toEqual([]);
});

test('every relational engine has its parts in its folder', () => {
  const paths = new Set(readSources().map(({ path }) => path));
  const missing = Object.keys(engines).flatMap((folder) =>
    ['spec.ts', 'dialect.ts', 'connector.ts']
      .map((file) => `${databases}/${folder}/${file}`)
      .filter((file) => !paths.has(file)),
  );
  expect(missing).toEqual([]);
});
