import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, openHost } from '../testing/opened.ts';

describe('folders', () => {
  test('are not trusted before the person says so, and stay trusted by their real place', async () => {
    const { services, directory, settingsDirectory } = await openHost();
    const project = { directory, name: basename(directory), trusted: false };
    expect(await services['project.current']({})).toEqual({ project });
    expect(await services['project.trust']({})).toEqual({ project: { ...project, trusted: true } });
    const link = join(folderWith(), 'link');
    symlinkSync(directory, link);
    const later = await openHost({}, { settingsDirectory, directory: link });
    expect(await later.services['project.current']({})).toEqual({ project: { ...project, trusted: true } });
    expect(statSync(join(settingsDirectory, 'projects.json')).mode & 0o777).toBe(0o600);
  });

  test('that were opened are remembered, latest first', async () => {
    const { services, directory } = await openHost();
    const other = folderWith();
    await services['project.open']({ directory: other });
    await services['project.open']({ directory });
    expect(await services['project.recent']({})).toEqual({ directories: [directory, other] });
  });

  test('that are not folders are refused, and the open one stays', async () => {
    const { services, directory } = await openHost({ 'a.hcl': '' });
    await expect(services['project.open']({ directory: join(directory, 'no') })).rejects.toThrow('there is no folder');
    await expect(services['project.open']({ directory: join(directory, 'a.hcl') })).rejects.toThrow('is a file');
    await expect(services['project.open']({ directory: 'relative' })).rejects.toThrow('by its whole path');
    expect((await services['project.current']({})).project?.directory).toBe(directory);
  });

  test('of settings that are broken trust nothing', async () => {
    const { settingsDirectory, directory } = await openHost();
    writeFileSync(join(settingsDirectory, 'projects.json'), '{"trusted": [1, ');
    const { services } = await openHost({}, { settingsDirectory, directory });
    expect((await services['project.current']({})).project?.trusted).toBe(false);
  });
});

describe('settings and drafts', () => {
  test('settings are one object of JSON', async () => {
    const { services, settingsDirectory } = await openHost();
    expect(await services['settings.read']({})).toEqual({ json: '{}' });
    await services['settings.write']({ json: '{"theme":"dark"}' });
    expect(await services['settings.read']({})).toEqual({ json: '{"theme":"dark"}' });
    for (const json of ['', '[]', 'null', '{'])
      await expect(services['settings.write']({ json })).rejects.toThrow('settings are one JSON object');
    expect(statSync(join(settingsDirectory, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  test('drafts belong to a folder and outlive the host', async () => {
    const { services, directory, settingsDirectory } = await openHost();
    await Promise.all([
      services['drafts.keep']({ path: 'a.hcl', text: 'half' }),
      services['drafts.keep']({ path: 'b.hcl', text: 'done' }),
    ]);
    await services['drafts.keep']({ path: 'b.hcl' });
    const later = await openHost({}, { settingsDirectory, directory });
    expect(await later.services['drafts.list']({})).toEqual({ drafts: [{ path: 'a.hcl', text: 'half' }] });
    const [file] = readdirSync(join(settingsDirectory, 'drafts'));
    expect(statSync(join(settingsDirectory, 'drafts', file!)).mode & 0o777).toBe(0o600);
    await later.services['project.open']({ directory: folderWith() });
    expect(await later.services['drafts.list']({})).toEqual({ drafts: [] });
  });
});
