import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folder.ts';
import { OpenIdStandIn } from '../../support/servers/openid/stand-in.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const configuration = `service {
  name       = "connects"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
connector "plain" {
  type         = "oauth"
  driver       = "custom"
  name         = "plain"
  auth_url     = env("AUTH_URL")
  token_url    = env("TOKEN_URL")
  userinfo_url = env("USERINFO_URL")
  client_id    = "app"
  redirect_uri = "https://shop.example.test/callback"
  health       = "optional"
}
flow "connect" {
  from {
    connector = "api"
    operation = "GET /connect"
  }
  to {
    connector = "plain"
    operation = "authorize"
  }
}
flow "callback" {
  from {
    connector = "api"
    operation = "GET /callback"
  }
  step "account" {
    connector = "plain"
    operation = "callback"
    params = {
      code  = "input.given_code"
      state = "input.state"
    }
  }
  response {
    who  = "step.account.provider_id"
    from = "'code ' + input.given_code + ' state ' + input.state"
  }
}
`;
const token = 'token-of-a-person-who-debugs';
let folder: string;
let provider: OpenIdStandIn;
beforeAll(async () => {
  provider = await OpenIdStandIn.start();
  folder = folderWith({ 'service.hcl': configuration });
});
afterAll(async () => {
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const variables = () => ({
  AUTH_URL: `${provider.issuer}/authorize`,
  TOKEN_URL: `${provider.issuer}/token`,
  USERINFO_URL: `${provider.issuer}/userinfo`,
});

/** Connects an account, and gives what must be seen by its browser alone. */
async function connected(service: Scenario): Promise<readonly string[]> {
  const { body } = await service.ask('GET', '/connect');
  const { code = '', state = '' } = provider.signIn((body as { auth_url: string }).auth_url, 'ana-of-the-company');
  const back = new URLSearchParams({ given_code: code, state });
  expect(await service.ask('GET', `/callback?${back}`)).toMatchObject({
    status: 200,
    body: { who: 'ana-of-the-company', from: `code ${code} state ${state}` },
  });
  return [code, state];
}

describe('A-11: code and state of a sign-in', () => {
  test('are in no line of the log, with payloads and every stage', async () => {
    const env = { ...variables(), SVC_LOG_LEVEL: 'debug', SVC_PAYLOAD_SHOW: 'true' };
    const service = await startScenario(folder, { env, args: ['--verbose-flow'] });
    try {
      const secrets = await connected(service);
      await until(
        () => /incoming payload.*flow=callback/.test(service.log) && /trace.*flow=callback/.test(service.log),
      );
      expect(service.log).toMatch(/incoming payload flow=callback .*given_code.*\*\*\*/);
      expect(secrets.filter((each) => service.log.includes(each))).toEqual([]);
    } finally {
      await service.end();
    }
  });

  test('are in nothing that a debugger is given outside development', async () => {
    const env = { ...variables(), SVC_ENV: 'staging', SVC_DEBUG_TOKEN: token };
    const service = await startScenario(folder, { env, args: ['--debug'] });
    const client = await debugClient(service.admin, {
      token,
      more: ['event.stageEnter', 'event.stageExit', 'event.ruleEval'],
    });
    try {
      const secrets = await connected(service);
      await until(() => client.events.filter(([name]) => name === 'event.flowEnd').length === 2);
      const kinds = new Set(client.events.map(([name]) => name));
      expect([...kinds].sort()).toEqual([
        'event.flowEnd',
        'event.flowStart',
        'event.ruleEval',
        'event.stageEnter',
        'event.stageExit',
      ]);
      const said = JSON.stringify(client.events);
      expect(secrets.filter((each) => said.includes(each))).toEqual([]);
      expect(said).toContain('ana-of-the-company');
    } finally {
      await client.leave();
      await service.end();
    }
  });

  test.each(['text', 'json'])('are in no recording of svc trace (%s) outside development', async (format) => {
    const secrets = ['a code that came back', 'a state that came back'];
    const input = JSON.stringify({ given_code: secrets[0], state: secrets[1], page: 'shown' });
    const env = { ...variables(), SVC_ENV: 'staging', PORT: '0', ADMIN_PORT: '0' };
    const traced = ['trace', 'callback', '-c', folder, '--input', input, '--format', format];
    const { stdout, stderr } = await runCommand(traced, env);
    expect(stdout).toContain('shown');
    expect(secrets.filter((each) => (stdout + stderr).includes(each))).toEqual([]);
  });
});
