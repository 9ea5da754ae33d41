import type { MouseEvent, ReactNode } from 'react';
import { useStore } from '../../state/use-store.ts';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { chordsOf, shownChord } from '../keys.ts';
import { useStudio } from '../studio.ts';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: (event: MouseEvent<HTMLButtonElement>) => void;
  /** -1 where keys reach it otherwise. */
  readonly tabIndex?: number | undefined;
  readonly className?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly pressed?: boolean | undefined;
  readonly keys?: string | undefined;
  /** Why it is disabled. */
  readonly reason?: string | undefined;
  readonly children?: ReactNode;
}

/** A button that shows an icon; its name and keys are in the tooltip. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, onClick, tabIndex, className, disabled, pressed, keys, reason, children } = props;
  const { operatingSystem } = useStudio().bridge;
  const named = keys === undefined ? label : `${label} (${shownChord(keys, operatingSystem)})`;
  const title = reason === undefined ? named : `${named}: ${reason}`;
  return (
    <button
      type="button"
      className={['icon-button', pressed && 'on', className].filter(Boolean).join(' ')}
      title={title}
      aria-label={label}
      aria-description={reason}
      aria-pressed={pressed}
      disabled={disabled}
      tabIndex={tabIndex}
      onClick={onClick}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A button that runs a command; dim while the command cannot run. */
export function CommandButton({
  command,
  icon,
  label,
  className,
  pressed,
}: {
  readonly command: string;
  readonly icon: IconName;
  readonly label?: string | undefined;
  readonly className?: string | undefined;
  readonly pressed?: boolean | undefined;
}) {
  const studio = useStudio();
  const { commands, settings } = studio;
  useStore(settings.state);
  const found = useStore(commands.all, (all) => all.get(command));
  const isEnabled = commands.isEnabled(command);
  return (
    <IconButton
      icon={icon}
      label={label ?? found?.title.replace(/^[^:]+: /, '') ?? command}
      keys={found && chordsOf(found, studio.keyRules)[0]}
      className={className}
      pressed={pressed}
      disabled={!isEnabled}
      reason={isEnabled ? undefined : found?.whyNot?.()}
      onClick={() => commands.run(command)}
    />
  );
}
