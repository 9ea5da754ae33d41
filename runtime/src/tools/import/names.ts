import type { ImportedFile } from './contract.ts';

/** A name of another maker as names of flows are written. */
export function snake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Some file systems take names for equal that differ in case alone. */
export function apart(files: readonly ImportedFile[]): readonly ImportedFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const stem = file.path.replace(/\.\w+$/, '');
    const end = file.path.slice(stem.length);
    let path = file.path;
    for (let count = 2; taken.has(path.toLowerCase()); count++) path = `${stem}_${count}${end}`;
    taken.add(path.toLowerCase());
    return { ...file, path };
  });
}

/** Lines of text as comments. */
export function commented(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => `# ${line}\n`)
    .join('');
}
