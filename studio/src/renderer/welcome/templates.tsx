import type { Template } from '../../shared/services.ts';
import { lookOfKind, lookOfNode } from '../theme/connector-kind.ts';
import { Icon } from '../theme/icon.tsx';

interface TemplateChoiceProps {
  readonly template: Template;
  readonly isChosen?: boolean | undefined;
  readonly onChoose: () => void;
}

export function TemplateChoice({ template: { title, detail, kind }, isChosen, onChoose }: TemplateChoiceProps) {
  const { name, className } = kind === 'auth' ? lookOfNode({ word: kind, kind }) : lookOfKind(kind);
  return (
    <button
      type="button"
      className={isChosen ? 'template on' : 'template'}
      aria-pressed={isChosen}
      title={detail}
      onClick={onChoose}
    >
      <span className={`tile ${className}`}>
        <Icon name={name} />
      </span>
      <span className="text-pair">
        <b>{title}</b>
        <small>{detail}</small>
      </span>
    </button>
  );
}
