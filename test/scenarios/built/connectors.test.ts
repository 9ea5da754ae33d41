import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectors } from '../../../runtime/src/connectors/catalog.ts';
import { choices, isChosen } from './chosen.ts';
import { rows } from './index.ts';
import { BuiltServices } from './place.ts';

describe('the catalogue', () => {
  test.each(Object.keys(connectors))('%s has a row', (connector) => {
    expect(rows.map((row) => row.connector)).toContain(connector);
  });

  test.each(choices)('$connector has a row with $attribute = $value', (choice) => {
    expect(isChosen(choice, rows)).toBe(true);
  });
});

describe('in the built program', () => {
  let service: BuiltServices;
  beforeAll(async () => {
    service = await BuiltServices.start(rows.filter(({ isMissing }) => isMissing !== true));
  });

  describe.each(rows)('$connector, as "$name",', ({ name, connector, isMissing }) => {
    const spec = connectors[connector];

    test.skipIf(isMissing === true || spec?.target === undefined)('sends a message', async () => {
      const text = randomUUID();
      const { sends } = service.end(name);
      expect(await (sends === undefined ? service.call(name, text) : sends(text, service))).toBe(text);
    });

    test.skipIf(isMissing === true || spec?.source === undefined)('takes a message', async () => {
      const text = randomUUID();
      const { takes } = service.end(name);
      expect(await takes?.(text, service)).toBe(text);
    });
  });

  test('closes all of them', async () => {
    expect(await service.close()).toEqual([0, 0]);
  });
});
