/**
 * The name under which a stage is written, in texts and in breakpoints, of the name under which it runs: each chunk of a
 * batch runs under a name of its own, `chunk 3` of `chunk`.
 */
export function writtenName(stage: string, name: string): string {
  return stage === 'transform' && /^chunk \d+$/.test(name) ? 'chunk' : name;
}
