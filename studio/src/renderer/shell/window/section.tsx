import { type ReactNode, useState } from 'react';
import { Icon } from '../../theme/icon.tsx';

interface SectionProps {
  readonly title: string;
  /** Beside the title, dimmer. */
  readonly sub?: string | undefined;
  readonly tools?: ReactNode;
  /** Takes the room that is left. */
  readonly fill?: boolean | undefined;
  readonly children: ReactNode;
}

/** A part of a side bar with its head, that can be folded. */
export function Section({ title, sub, tools, fill, children }: SectionProps) {
  const [isOpen, setOpen] = useState(true);
  return (
    <section className={fill && isOpen ? 'view fill' : 'view'} aria-label={title}>
      <div className="view-head">
        <h2>
          <button type="button" className="view-title" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
            {title}
          </button>
        </h2>
        {sub !== undefined && <span className="sub ellipsis">{sub}</span>}
        <span className="right">{isOpen && tools}</span>
      </div>
      {isOpen && children}
    </section>
  );
}
