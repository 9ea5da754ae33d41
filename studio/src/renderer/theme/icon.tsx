import type { CSSProperties } from 'react';
import { type IconName, iconShapes } from './icon-shapes.ts';

export type { IconName } from './icon-shapes.ts';

interface IconProps {
  readonly name: IconName;
  readonly size?: 'small' | 'large' | undefined;
  readonly className?: string | undefined;
  readonly style?: CSSProperties | undefined;
  /** Names it for those who do not see it; without, it says nothing that words beside it do not say. */
  readonly label?: string | undefined;
}

/** An icon in the colour of its text. The shapes are our own constants, never text from outside. */
export function Icon({ name, size, className, style, label }: IconProps) {
  const named = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg
      className={['icon', size, className].filter(Boolean).join(' ')}
      viewBox="0 0 16 16"
      style={style}
      {...named}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: constants of this program
      dangerouslySetInnerHTML={{ __html: iconShapes[name] }}
    />
  );
}
