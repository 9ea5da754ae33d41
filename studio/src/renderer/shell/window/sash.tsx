import type { KeyboardEvent, PointerEvent } from 'react';

interface SashProps {
  readonly label: string;
  /** Which way it moves. */
  readonly axis: 'x' | 'y';
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** 1 when moving right or down makes the value larger, else -1. */
  readonly sign: 1 | -1;
  readonly onChange: (value: number) => void;
}

/** The gap between two islands, that can be dragged and takes arrow keys. */
export function Sash({ label, axis, value, least, most, sign, onChange }: SashProps) {
  const move = (to: number) => onChange(Math.round(Math.min(most, Math.max(least, to))));
  const drag = (event: PointerEvent<HTMLElement>) => {
    const { currentTarget, pointerId } = event;
    const from = axis === 'x' ? event.clientX : event.clientY;
    currentTarget.setPointerCapture(pointerId);
    const follow = (next: globalThis.PointerEvent) =>
      move(value + sign * ((axis === 'x' ? next.clientX : next.clientY) - from));
    const end = () => currentTarget.removeEventListener('pointermove', follow);
    currentTarget.addEventListener('pointermove', follow);
    currentTarget.addEventListener('pointerup', end, { once: true });
    currentTarget.addEventListener('pointercancel', end, { once: true });
  };
  const step = (event: KeyboardEvent) => {
    const forward = axis === 'x' ? 'ArrowRight' : 'ArrowDown';
    const back = axis === 'x' ? 'ArrowLeft' : 'ArrowUp';
    if (event.key !== forward && event.key !== back) return;
    event.preventDefault();
    move(value + sign * (event.key === forward ? 16 : -16));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that moves is a widget (WAI-ARIA, window splitter), no line
    <div
      className={`sash ${axis}`}
      role="separator"
      aria-label={label}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={step}
    />
  );
}
