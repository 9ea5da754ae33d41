/** Variables of the service that every program gets: where things are, who runs it, and how people read and write. */
export const inheritedNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TMPDIR',
] as const;

/** Those without which programs of Windows do not start. */
const ofWindows = [
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
] as const;

/** Whether a program gets a variable of the service, whatever the configuration says. Names have no case on Windows. */
export function isInherited(name: string, isWindows: boolean): boolean {
  const spelled = isWindows ? name.toUpperCase() : name;
  if (spelled.startsWith('LC_')) return true;
  return [...inheritedNames, ...(isWindows ? ofWindows : [])].some((known) => known === spelled);
}
