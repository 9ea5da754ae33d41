import { expect, test } from 'vitest';
import { checkConfiguration } from '../../../service/config/load.ts';
import { quick } from '../testing/bed.ts';
import { usualResponse, type WrittenProvider, written } from './testing/validator.ts';

const server = 'connector "api" {\n type = "rest"\n}\n';
const of = (block: WrittenProvider, more = '') =>
  quick(`${written({ validate: 'https://id.example.test/v', ...block })}\n${more}`);

/** What `svc validate` says: severity and message. */
function said(lines: string): readonly string[] {
  const files = [{ path: 'a.hcl', text: `${server}auth {\n${lines}\n}\n` }];
  const options = {
    directory: '/srv',
    workingDirectory: '/srv',
    group: 'development',
    workers: 1,
    variables: {},
  } as const;
  const { diagnostics } = checkConfiguration(files, options);
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, message }) => `${severity}: ${message}`);
}

const elsewhere = 'error: `validate` has {token} elsewhere than in its path or query';

test.each<[string, string, readonly unknown[]]>([
  ['everything that is needed', of({}), []],
  ['an address of this machine', of({ validate: 'http://localhost:4000/v' }), []],
  ['the credential in the path', of({ validate: 'https://id.example.test/{token}', request: '{}' }), []],
  ['the credential in the query', of({ validate: 'https://id.example.test/?t={token}', request: '{}' }), []],
  ['the credential in the host', of({ validate: 'https://{token}/v' }), [elsewhere]],
  ['the credential in a part of the host', of({ validate: 'https://{token}.example.test/v' }), [elsewhere]],
  ['the credential in the port', of({ validate: 'https://id.example.test:{token}/v' }), [elsewhere]],
  [
    'the credential in the scheme',
    of({ validate: '{token}://id.example.test/v' }),
    [expect.stringContaining('must start with')],
  ],
  [
    'the credential as a user',
    of({ validate: 'https://{token}@id.example.test/v' }),
    ['error: `validate` holds a user name or password'],
  ],
  ['the credential behind #', of({ validate: 'https://id.example.test/v#{token}' }), ['error: `validate` holds a `#`']],
  ['the character that marks a place', of({ validate: 'https://id.example.test/\uE000' }), [elsewhere]],
  ['no address', of({ validate: 'https://' }), ['error: `validate` is not an address']],
  [
    'an address without encryption',
    of({ validate: 'http://id.example.test/v' }),
    ['warning: credentials of callers are sent to this address unencrypted'],
  ],
  [
    'a credential that is not sent',
    of({ request: '{ X-Key = "k" }' }),
    ['error: the provider is not sent the credential: it would judge every caller by nothing'],
  ],
  [
    'a header with a line break',
    of({ request: '{ X-Key = "a\\r\\nb {token}" }' }),
    ['error: header "X-Key" holds a line break, a control character or a character outside Latin-1'],
  ],
  [
    'a header whose name cannot be sent',
    of({ request: '{ "X Key" = "{token}" }' }),
    ['error: "X Key" is not the name of a header'],
  ],
  [
    'a header of the connection',
    of({ request: '{ Host = "{token}" }' }),
    ['error: the client itself sets the header Host'],
  ],
  ['a header twice', of({ request: '{ X-Key = "{token}", x-key = "a" }' }), ['error: header x-key is written twice']],
  [
    'one name twice',
    `${of({})}\n${written({ validate: 'https://id.example.test/v' })}`,
    ['error: there are two provider blocks named "one"'],
  ],
  ['an empty name', of({ name: '' }), [expect.stringMatching(/^error: /)]],
  ['another type', of({}).replace('"http"', '"grpc"'), ['error: type of provider "one" in auth cannot be "grpc"']],
  ['no type', of({}).replace('type = "http"', ''), [expect.stringMatching(/^error: .*type/)]],
  ['no address at all', of({}).replace(/validate = .*/, ''), [expect.stringMatching(/^error: .*validate/)]],
  ['no response', of({}).replace(/response \{[^}]*\}/, ''), [expect.stringMatching(/^error: .*response/)]],
  ['no success', of({ response: 'user_id = "body.id"' }), [expect.stringMatching(/^error: .*success/)]],
  ['no user_id', of({ response: 'success = "true"' }), [expect.stringMatching(/^error: .*user_id/)]],
  [
    'an expression that is cut',
    of({ response: 'success = "status =="\n user_id = "body.id"' }),
    [expect.stringMatching(/^error: /)],
  ],
  [
    'an unknown variable',
    of({ response: `${usualResponse}\n email = "input.email"` }),
    [expect.stringMatching(/^error: .*input/)],
  ],
  [
    'what cannot give true or false',
    of({ response: 'success = "size(body)"\n user_id = "body.id"' }),
    [expect.stringMatching(/^error: /)],
  ],
  [
    'sync_to',
    of({}).replace('type =', 'sync_to = "users"\n type ='),
    ['warning: `sync_to` has no effect: nothing of a caller is kept here'],
  ],
  [
    'a factor that is required of everybody',
    of({}, 'mfa {\n required = "true"\n }'),
    ['warning: every caller of provider "one" is refused: a second factor is required, which they cannot enrol here'],
  ],
  [
    'rules of linking for callers who have no account',
    of({}, 'account_linking {\n on_match = "reject"\n }'),
    ['error: there is no identity provider whose identities could be linked'],
  ],
])('%s', (_what, lines, problems) => {
  expect(said(lines)).toEqual(problems);
});
