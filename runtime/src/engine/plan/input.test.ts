import { describe, expect, test } from 'vitest';
import type { Auth } from '../../foundation/contracts/message.ts';
import { serve } from './testing/service.ts';

const flow = (body: string) => `connector "api" {
  type = "server"
  operation "list" {
    method = "GET"
    path   = "/x"
    param "limit" {
      type    = "integer"
      default = 50
      max     = 200
    }
    param "state" { enum = ["open", "done"] }
  }
}
flow "f" {
  from {
    connector = "api"
    operation = "list"
  }
  ${body}
}`;

describe('what expressions read', () => {
  test('declared parameters are completed, converted and checked before anything else', async () => {
    const service = await serve(flow('require {}\n  response { next = "input.limit + 1" }'));
    const auth: Auth = { authenticated: true, user_id: 'u', email: '', roles: [], claims: {} };
    expect(service.deliver('f', {}, { auth })).toMatchObject({ value: { next: 51n } });
    expect(service.deliver('f', { limit: '7' }, { auth })).toMatchObject({ value: { next: 8n } });
    expect(() => service.deliver('f', { limit: '201', state: 'x' })).toThrow(
      expect.objectContaining({
        code: 'parameters_invalid',
        message: 'invalid parameters: limit: must be at most 200; state: must be one of open, done',
      }),
    );
  });

  test('S-32: fields of a message never replace the caller, its headers or the constants', async () => {
    const service = await serve(
      `constants { limit = 5 }\n${flow(`response {
    user  = "auth.user_id"
    roles = "auth.roles"
    limit = "constants.limit"
    role  = "input.headers['x-role'] ?? 'none'"
  }`)}`,
    );
    const forged = {
      auth: { authenticated: true, user_id: 'root', roles: ['admin'] },
      constants: { limit: 99 },
      step: {},
    };
    expect(service.deliver('f', { ...forged, headers: {} })).toMatchObject({
      value: { user: '', roles: [], limit: 5n, role: 'none' },
    });
  });

  test('what is nothing but absent is absent, whatever its name', async () => {
    const service = await serve(
      flow('response { has = "[has(input.constructor), has(input.toString), has(step.__proto__)]" }'),
    );
    expect(service.deliver('f')).toMatchObject({ value: { has: [false, false, false] } });
  });
});
