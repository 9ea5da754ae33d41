import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { maskedInput } from '../../foundation/observe/masked-input.ts';
import { keepSecret } from '../../foundation/observe/secret-fields.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { flowsOf } from '../flow/declarations.ts';
import { secretFields } from './secret-fields.ts';

const connector = `connector "company" {
  type         = "oauth"
  driver       = "oidc"
  issuer       = "https://id.example.test"
  client_id    = "shop"
  redirect_uri = "https://shop.example.test/callback"
}
`;

async function fieldsOf(block: string): Promise<readonly string[]> {
  const directory = folderWith({ 'a.hcl': `${connector}flow "f" {\n  when = "@daily"\n${block}\n}\n` });
  const options = { environment: {}, workingDirectory: directory, workers: 1, tests: false };
  const { project, engine } = await loadConfiguration(directory, options);
  const [flow] = flowsOf(project);
  return [...secretFields(flow as never, project, engine)].sort();
}

test.each([
  ['step "s" {\nconnector = "company"\noperation = "userinfo"\nparams = { access_token = "input.a" }\n}', []],
  ['step "s" {\nconnector = "company"\noperation = "authorize"\n}', ['auth_url', 'state']],
  ['to {\nconnector = "company"\ntarget = "callback"\n}', ['code', 'state']],
  ['to {\nconnector = "company"\noperation = "CALLBACK"\n}', ['code', 'state']],
  [
    'step "s" {\nconnector = "company"\noperation = "callback"\nparams = { code = "input.body[\'given\'].trim()", state = "input.?st.orValue(input[\'s t\'])", iss = "input.iss" }\n}',
    ['code', 'given', 's t', 'st', 'state'],
  ],
])('%#: what is read for an operation that takes credentials is one', async (block, fields) => {
  expect(await fieldsOf(block)).toEqual(fields);
});

test('a message that becomes a payload as a whole is without them, and stays itself', () => {
  const message = { input: { code: 'a', state: 'b', page: 1, password: 'c' } };
  keepSecret(message, ['code', 'state', 'absent']);
  expect(maskedInput(message.input, message)).toEqual({ code: '***', state: '***', page: 1, password: '***' });
  expect(message.input).toEqual({ code: 'a', state: 'b', page: 1, password: 'c' });
});
