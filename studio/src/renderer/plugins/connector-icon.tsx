import { useEffect } from 'react';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { pluginIconsOf } from './icons.ts';

interface ConnectorIconProps {
  /** The icon of its kind. */
  readonly name: IconName;
  /** The file of its own icon, where it has one. */
  readonly file: string | undefined;
  readonly className?: string | undefined;
}

/** The icon of a connector: that of the plugin that provides it, as soon as it is read, else that of its kind. */
export function ConnectorIcon({ name, file, className }: ConnectorIconProps) {
  const icons = pluginIconsOf(useStudio());
  const address = useStore(icons.addresses, (all) => (file === undefined ? undefined : all.get(file)));
  useEffect(() => {
    if (file !== undefined) icons.want(file);
  }, [icons, file]);
  if (!address) return <Icon name={name} className={className} />;
  return <img className="icon plugin-icon" src={address} alt="" draggable={false} />;
}
