import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { socketChannel, WireClient } from '@svc/protocol/wire';
import { afterEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { folderWith } from '../../support/folder.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { until, untilPassed } from '../../support/until.ts';
import { answering, assemble, moduleText } from '../../support/wasm.ts';

const manifest = (functions: string) =>
  `plugin {\n  name    = "geo"\n  version = "1.0.0"\n}\nprovides {\n  functions {\n    wasm    = "geo.wasm"\n    exports = ["${functions}"]\n  }\n}\n`;
const module = (text: string) => assemble(moduleText(answering('far', `{"result":"${text}"}`)));
const service = `service {
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
plugin "geo" {
  source = "../geo"
}
flow "f" {
  from {
    connector = "api"
    operation = "GET /"
  }
  response {
    said = "far()"
  }
}
`;

const running: RunningService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

/** A service whose plugin is beside its directory. */
async function start(args: readonly string[] = []) {
  const above = folderWith({ 'geo/plugin.hcl': manifest('far'), 'service/a.hcl': service });
  const write = async (text: string | Uint8Array) =>
    writeFileSync(join(above, 'geo/geo.wasm'), typeof text === 'string' ? await module(text) : text);
  await write('one');
  const started = await startService({ directory: join(above, 'service'), args });
  running.push(started);
  const answer = async () => ((await (await fetch(started.address)).json()) as { said: string }).said;
  const count = (text: string) => started.log.split(text).length - 1;
  return { above, write, started, answer, count };
}

describe('A-07: modules of a plugin outside of the directory of the configuration', () => {
  test('are exchanged when their files change, when they are whole, and when the manifest changes', async () => {
    const { above, write, started, answer, count } = await start();
    expect(await answer()).toBe('one');
    await write('two');
    await until(async () => (await answer()) === 'two');
    // One that is written by halves is refused, and the earlier one serves until it is whole.
    await write((await module('three')).subarray(0, 40));
    await until(() => count('reload failed') === 1);
    expect(await answer()).toBe('two');
    await write('three');
    await until(async () => (await answer()) === 'three');
    // A build that replaces the folder.
    mkdirSync(join(above, 'next'));
    writeFileSync(join(above, 'next/geo.wasm'), await module('four'));
    writeFileSync(join(above, 'next/plugin.hcl'), manifest('far()'));
    rmSync(join(above, 'geo'), { recursive: true });
    renameSync(join(above, 'next'), join(above, 'geo'));
    await until(async () => (await answer()) === 'four');
    expect(started.log).not.toContain('unhandled');
  });

  test('are exchanged in every worker, and what they did is added up for debuggers', async () => {
    const { write, started, answer, count } = await start(['--workers', '2']);
    const socket = new WebSocket(`${started.admin.replace('http', 'ws')}/debug`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const client = new WireClient(socketChannel(socket));
    const { capabilities } = await client.call('debug.attach', {});
    expect(capabilities).toContain('modules');
    const calls = async () => {
      const { plugins, modules } = await client.call('inspect.modules', {});
      return [
        plugins.map(({ name, functions }) => [name, functions]),
        modules.map((each) => [each.serves, each.calls, each.instances]),
      ];
    };
    await untilPassed(async () => expect(await calls()).toEqual([[['geo', ['far']]], [[['far'], 0, 2]]]));
    for (let at = 0; at < 20; at++) expect(await answer()).toBe('one');
    expect(await calls()).toEqual([[['geo', ['far']]], [[['far'], 20, 2]]]);
    await write('two');
    await until(() => count('msg=reloaded') + count('reloaded ') > 0);
    await untilPassed(async () =>
      expect([await answer(), await answer(), await answer()]).toEqual(['two', 'two', 'two']),
    );
    client.close();
  });
});
