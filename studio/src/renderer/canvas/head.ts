import type { Form } from '@svc/protocol/language';
import type { FormHead } from '../forms/head.ts';
import { lookOfKind, lookOfNode } from '../theme/connector-kind.ts';
import type { Canvas } from './canvas.ts';
import { familyTitles } from './graph/families.ts';

/** What the canvas knows of the block of a form: the kind of its connector, its flow, its family. */
export function headOf({ places }: Canvas, { file, range }: Form): FormHead | undefined {
  for (const { file: path, start, connector, flow, stage, rule, kind, aspect } of places.values()) {
    if (path !== file || start !== range.start || rule) continue;
    if (connector)
      return connector.declared ? { ...lookOfNode(connector), icon: connector.icon, sub: connector.detail } : undefined;
    if (stage && flow) {
      const look = kind ? lookOfKind(kind) : { name: stage.family, className: stage.family };
      const family = { name: stage.family, title: familyTitles[stage.family] };
      return { ...look, sub: `${flow.name}, ${file}`, family };
    }
    if (aspect) return { name: 'link', className: '', sub: aspect.detail };
    return { name: 'flow', className: '', sub: flow?.source?.operation ?? '' };
  }
  return undefined;
}
