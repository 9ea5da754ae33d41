/** A path from the directory of the configuration on, without what means nothing; undefined where it leads out of it. */
export function insidePath(...parts: readonly string[]): string | undefined {
  const steps: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^([/\\]|[A-Za-z]:)/.test(part)) return undefined;
    const least = index === 0 ? 0 : steps.length;
    for (const step of part.split(/[/\\]/)) {
      if (step === '' || step === '.') continue;
      if (step !== '..') steps.push(step);
      else if (steps.length > least) steps.pop();
      else return undefined;
    }
  }
  return steps.join('/');
}
