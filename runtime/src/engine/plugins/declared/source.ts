/** Where a plugin comes from. */
export type PluginSource =
  | { readonly kind: 'folder'; readonly path: string }
  /** `address` is what git is given. */
  | { readonly kind: 'git'; readonly address: string }
  /** `address` is a URL, or a path of this machine. */
  | { readonly kind: 'archive'; readonly address: string };

/** Why a source, or a version, cannot be used. */
export interface Refusal {
  readonly problem: string;
  readonly help: string;
}

const forms =
  'It is a folder (./plugins/geo), a repository (github.com/owner/geo, https://host/geo.git, git@host:owner/geo.git), or an archive (https://host/geo.tgz).';

/** Bytes of the longest source. */
const longest = 2_048;

const host = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const user = /^[A-Za-z0-9_][\w.-]*$/;
const archive = /\.(tgz|tar\.gz)$/i;

/** Whether a source is a folder of this machine, which is read where it is. */
export function isFolder(source: string): boolean {
  return isPath(source) && !archive.test(source);
}

/**
 * Where a plugin comes from, or why that is refused. What git would take for one of its options or start as a program is
 * refused here, before it is given anything.
 */
export function readSource(written: string): PluginSource | Refusal {
  if (written === '') return refused('the source is empty');
  if (written.length > longest) return refused(`the source is longer than ${longest} characters`);
  if (/[\x00-\x1f\x7f-\x9f\u2028\u2029\\]/.test(written))
    return refused('the source holds a control character or a backslash');
  if (written.startsWith('-')) return refused(`the source ${written} begins with -, as an option of a program does`);
  if (isPath(written))
    return archive.test(written) ? { kind: 'archive', address: written } : { kind: 'folder', path: written };
  if (/\s/.test(written)) return refused('the source holds a space');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(written)?.[1]?.toLowerCase();
  if (scheme !== undefined) return ofAddress(written, scheme);
  return ofShortForm(written);
}

/** A source as it may be shown: what may be a password is hidden. */
export function shownSource(source: string): string {
  return source
    .replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
    .replace(/\/\/[^/]*@/g, '//***@')
    .replace(/\?.*$/s, '?***');
}

function isPath(source: string): boolean {
  return /^\.{0,2}\//.test(source) || source === '.' || source === '..';
}

function ofAddress(written: string, scheme: string): PluginSource | Refusal {
  const shown = shownSource(written);
  const rest = written.slice(scheme.length + 3);
  const url = rest.startsWith('/') && scheme !== 'file' ? null : URL.parse(written);
  if (url === null) return refused(`the source ${shown} is not an address`);
  const isArchive = archive.test(url.pathname);
  if (url.password !== '' || (url.username !== '' && scheme !== 'ssh'))
    return refused(
      `the source ${shown} holds credentials`,
      'Leave them out: git asks its credential helper (git help credentials), or use ssh.',
    );
  if (url.search !== '' || url.hash !== '')
    return refused(`the source ${shown} has a part after ? or #`, 'Name the repository or the file alone.');
  if (/\/\/|\/\.{1,2}(\/|$)/.test(rest))
    return refused(
      `the source ${shown} names a folder within a repository`,
      'The manifest of a plugin is in the root of its repository.',
    );
  if (scheme === 'file')
    return url.host === ''
      ? { kind: isArchive ? 'archive' : 'git', address: url.href }
      : refused(`the source ${shown} names another machine`, 'Write file:///path.');
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (!host.test(url.hostname) && !isLoopback) return refused(`the source ${shown} names no host`);
  switch (scheme) {
    case 'https':
      return { kind: isArchive ? 'archive' : 'git', address: url.href };
    case 'ssh':
      if (url.username !== '' && !user.test(url.username)) return refused(`the source ${shown} has no name of a user`);
      return { kind: 'git', address: url.href };
    case 'http':
      if (isArchive && isLoopback) return { kind: 'archive', address: url.href };
      return refused(`the source ${shown} is fetched without encryption`, 'Write https://.');
    default:
      return refused(`plugins are not fetched by ${scheme}://`, 'Write https://, ssh:// or file://.');
  }
}

/** `git@host:owner/geo.git`, `github.com/owner/geo`. */
function ofShortForm(written: string): PluginSource | Refusal {
  const remote = /^([^@:/]+)@([^@:/]+):([\w./~-]+)$/.exec(written);
  if (remote !== null) {
    const [, name = '', machine = '', path = ''] = remote;
    if (user.test(name) && host.test(machine) && isPlain(path.replace(/^\//, '')))
      return { kind: 'git', address: written };
  }
  const [machine = '', ...path] = written.split('/');
  if (machine.includes('.') && host.test(machine) && path.length >= 2 && isPlain(path.join('/')))
    return { kind: archive.test(written) ? 'archive' : 'git', address: `https://${written}` };
  return refused(`the source ${shownSource(written)} is neither a folder nor a repository nor an archive`);
}

function isPlain(path: string): boolean {
  return path.split('/').every((part) => /^[\w.~][\w.~-]*$/.test(part) && part !== '.' && part !== '..');
}

function refused(problem: string, help = forms): Refusal {
  return { problem, help };
}
