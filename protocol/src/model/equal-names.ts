import { place, type SourcedBlock } from './items.ts';
import type { Report } from './report.ts';

/** Reports blocks of one word that share a name, with both places. */
export function refuseEqualNames(word: string, blocks: readonly SourcedBlock[], report: Report): void {
  const first = new Map<string, SourcedBlock>();
  for (const sourced of blocks) {
    const label = sourced.item.labels[0];
    if (!label) continue;
    const earlier = first.get(label.text);
    if (!earlier) first.set(label.text, sourced);
    else
      report('duplicate-name', `there are two blocks ${word} "${label.text}"`, place(sourced, label), {
        help: 'Give one of them another name.',
        related: [{ message: 'the first one is here', ...place(earlier, earlier.item.labels[0] ?? earlier.item) }],
      });
  }
}
