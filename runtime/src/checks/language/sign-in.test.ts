import { LanguageService } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { Editor, supportOfTexts } from './testing/editor.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const mail = `flow "send_link" {
  response {
    to = "input.auth.email"
  }
}
`;
const auth = `auth {
  preset = "relaxed"
  jwt {
    secret = "a secret of at least thirty-two bytes"
  }
  hooks {
    on_password_reset {
      flow = flow.send_link
    }
    after_login {
      flow = "send_link"
    }
  }
}
`;

function outlineOf(text: string) {
  const service = new LanguageService(supportOfTexts());
  service.provide('a.hcl', text);
  return service.outline();
}

describe('the sign-in system in the outline', () => {
  test('is drawn as a connector whose hooks lead to their flows', () => {
    const text = api + mail + auth;
    const { connectors, edges } = outlineOf(text);
    const drawn = connectors.find(({ word }) => word === 'auth');
    expect(drawn).toMatchObject({ id: 'auth', name: 'auth', detail: 'sign-in, relaxed', declared: true });
    expect(text.slice(drawn?.range.start, drawn?.range.end)).toBe(auth.trim());
    expect(
      edges.map(({ direction, connector, flow, word, name, range }) => ({
        line: `${connector} ${direction} ${flow}: ${word} ${name}`,
        text: text.slice(range.start, range.end).split(' ')[0],
      })),
    ).toEqual([
      { line: 'auth in flow send_link: auth on_password_reset', text: 'on_password_reset' },
      { line: 'auth in flow send_link: auth after_login', text: 'after_login' },
    ]);
  });

  test('a hook whose flow is not written leads nowhere', () => {
    expect(outlineOf(api + auth).edges).toEqual([]);
  });

  test('its endpoints are listed with what they read, where they are served', () => {
    const { endpoints } = outlineOf(api + mail + auth.replace('hooks {', 'endpoints {\n prefix = "/me"\n }\n hooks {'));
    expect(endpoints.find(({ name }) => name === 'login')).toMatchObject({
      method: 'POST',
      path: '/me/login',
      body: { email: { type: 'string', required: true }, password: { secret: true }, device_id: { required: false } },
    });
    expect(endpoints.map(({ method, path }) => `${method} ${path}`)).toContain('DELETE /me/sessions/:id');
  });

  test('a flow in the place of an endpoint is listed once, as a flow', () => {
    const me = 'flow "me" {\n  from {\n    connector = "api"\n    operation = "GET /auth/me"\n  }\n}\n';
    const names = (text: string) => outlineOf(text).endpoints.map(({ name }) => name);
    expect(names(api + mail + auth)).toContain('me');
    expect(names(api + mail + me + auth)).not.toContain('me');
  });

  test.each([
    ['no server', mail + auth],
    ['no auth block', api + mail],
  ])('%s: no endpoints', (_, text) => {
    expect(outlineOf(text).endpoints).toEqual([]);
  });

  test.each([
    ['an unknown preset', auth.replace('"relaxed"', '"bogus"')],
    ['an expression that is unfinished', auth.replace('"relaxed"', '')],
    ['a preset that is a list', auth.replace('"relaxed"', '["a"]')],
    ['an unfinished block', auth.slice(0, 40)],
    ['two blocks', auth + auth],
    ['a bare block', 'auth {}\n'],
  ])('%s is drawn nevertheless', (_, text) => {
    expect(outlineOf(api + mail + text).connectors.some(({ word }) => word === 'auth')).toBe(true);
  });
});

test('an editor tells what the body of an endpoint holds', () => {
  const hover = new Editor(
    `${api}${auth.replace('hooks {', 'endpoints {\n lo<|>gin {\n }\n }\n hooks {')}${mail}`,
  ).hover();
  expect(hover).toContain('Its body: `email`, `password`, `mfa_code` (optional), `device_id` (optional).');
});
