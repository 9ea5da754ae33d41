/**
 * The name under which a stage is written, in texts and in breakpoints, of the name under which it runs: each chunk of a
 * batch runs under a name of its own, `chunk 3` of `chunk`, and so does each try of a step, `pay.action 2` of `pay.action`.
 */
export function writtenName(stage: string, name: string): string {
  if (stage === 'transform' && /^chunk \d+$/.test(name)) return 'chunk';
  return stage === 'step' ? name.replace(/(?<=\.action) \d+$/, '') : name;
}
