import { describe, expect, test } from 'vitest';
import type { Bridge } from '../../shared/services.ts';
import { firstSettings, Settings } from './settings.ts';

/** A host that keeps one text. */
function stored(json: string) {
  const kept = { json };
  const call = async (name: string, params: unknown) => {
    if (name === 'settings.write') kept.json = (params as { json: string }).json;
    return name === 'settings.read' ? { json: kept.json } : {};
  };
  return { kept, bridge: { call } as Pick<Bridge, 'call'> };
}

describe('settings', () => {
  test.each(['', '[]', 'null', '{"theme":"pink","fontSize":900,"keys":[],"wordWrap":"yes","projects":{"/a":1}}'])(
    'what cannot be read stays as it is: %s',
    async (json) => {
      const settings = new Settings(stored(json).bridge);
      await settings.load();
      expect(settings.state.value).toEqual(firstSettings);
      expect(settings.recall('/a', 'layout')).toBeUndefined();
    },
  );

  test('a change keeps what others wrote meanwhile, and what is not known here', async () => {
    const { kept, bridge } = stored('{"later":1}');
    const settings = new Settings(bridge);
    await settings.load();
    kept.json = '{"later":2,"theme":"light"}';
    await settings.change({ fontSize: 15 });
    expect(JSON.parse(kept.json)).toEqual({ later: 2, theme: 'light', fontSize: 15 });
  });

  test('what is kept for a folder comes back, many writes at once lose nothing', async () => {
    const { kept, bridge } = stored('{}');
    const settings = new Settings(bridge);
    await Promise.all([
      settings.remember('/a', 'layout', { side: 1 }),
      settings.remember('/a', 'breakpoints', [2]),
      settings.remember('/b', 'layout', 3),
    ]);
    expect(settings.recall('/a', 'layout')).toEqual({ side: 1 });
    expect(settings.recall('/c', 'layout')).toBeUndefined();
    const again = new Settings(bridge);
    await again.load();
    expect(again.recall('/a', 'breakpoints')).toEqual([2]);
    expect(JSON.parse(kept.json)).toEqual({
      projects: { '/a': { layout: { side: 1 }, breakpoints: [2] }, '/b': { layout: 3 } },
    });
  });

  test('at most fifty folders are kept, latest last', async () => {
    const { bridge } = stored('{}');
    const settings = new Settings(bridge);
    for (let n = 0; n < 52; n++) await settings.remember(`/${n}`, 'layout', n);
    expect([0, 1, 2, 51].map((n) => settings.recall(`/${n}`, 'layout'))).toEqual([undefined, undefined, 2, 51]);
  });
});
