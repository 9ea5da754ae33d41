import { expect, test } from 'vitest';
import { serve } from '../../engine/plan/testing/service.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import type { Log, LogFields } from '../../foundation/observe/log.ts';
import { stageLog } from './stage-log.ts';

/** Planted in a header; every piece of it, and of what rules make of it, is searched in every line. */
const planted = 'Bearer Zq8vPlantedSecretKx';
const pieces = /zq8v|planted|secretkx|xktercesdetnalp/i;

const configuration = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  step "echo" {
    connector = "peer"
    operation = "POST /y"
    body      = { credential = "input.headers.authorization.split(' ')[1]" }
  }
  transform {
    tok     = "input.headers.authorization"
    part    = "input.headers.authorization.split(' ')[1]"
    upper   = "upper(output.part)"
    again   = "output.upper.substring(3, 10)"
    back    = "output.part.reverse()"
    echoed  = "step.echo.given"
    name    = "input.name"
    failing = "int(output.part)"
  }
  to {
    connector = "peer"
    operation = "POST /z"
  }
}
flow "g" {
  from {
    connector = "api"
    operation = "POST /g"
  }
  transform {
    made = "input.given.reverse()"
  }
  to {
    connector = "db"
    target    = "t"
  }
}
aspect "call" {
  on   = ["f"]
  when = "before"
  action {
    flow = "g"
    transform {
      given = "input.headers.authorization.split(' ')[1]"
    }
  }
}`;

test('lines of stages hide what a run makes of hidden values, also in a flow that it calls', async () => {
  const lines: LogFields[] = [];
  const take = (_: string, fields: LogFields = {}) => void lines.push(fields);
  const log: Log = { enabled: () => true, debug: take, info: take, warn: take, error: take, with: () => log };
  const probe = stageLog(log, systemClock);
  const send = async (text: string) => {
    const service = await serve(text, { probe, answer: () => ({ value: { given: 'Zq8vPlantedSecretKx' } }) });
    lines.splice(0);
    return Promise.resolve()
      .then(() => service.deliver('f', { name: 'Ada', headers: { authorization: planted } }))
      .catch((error: Error) => error.message);
  };
  expect(await send(configuration)).toMatch('PlantedSecret');
  const failed = lines.map((line) => JSON.stringify(line));
  expect(failed.filter((line) => pieces.test(line))).toEqual([]);
  expect(failed.some((line) => line.includes('"flow":"g","stage":"transform"'))).toBe(true);

  expect(await send(configuration.replace('    failing = "int(output.part)"\n', ''))).toMatchObject({ kind: 'reply' });
  const passed = lines.map((line) => JSON.stringify(line));
  expect(passed.filter((line) => pieces.test(line))).toEqual([]);
  expect(passed.some((line) => line.includes('Ada'))).toBe(true);
});
