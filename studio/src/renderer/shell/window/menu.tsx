import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { shownChord } from '../keys.ts';
import type { Menu } from '../menus.ts';
import { useStudio } from '../studio.ts';

export function MenuOverlay() {
  const { menus } = useStudio();
  const menu = useStore(menus.open);
  return menu && <MenuBox key={`${menu.x} ${menu.y} ${menu.label}`} menu={menu} />;
}

/** A menu: arrow keys, first letters, Enter; Escape and anything outside close it. */
function MenuBox({ menu: { label, x, y, items } }: { readonly menu: Menu }) {
  const { menus, bridge } = useStudio();
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: x, top: y });
  useLayoutEffect(() => {
    const { width, height } = (box.current as HTMLElement).getBoundingClientRect();
    setPlace({
      left: Math.max(4, Math.min(x, window.innerWidth - width - 4)),
      top: Math.max(4, Math.min(y, window.innerHeight - height - 4)),
    });
  }, [x, y]);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector('button')?.focus();
    const away = (event: PointerEvent) => box.current?.contains(event.target as Node) || menus.open.set(undefined);
    window.addEventListener('pointerdown', away, { capture: true });
    return () => {
      window.removeEventListener('pointerdown', away, { capture: true });
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, [menus]);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const letter = event.key.length === 1 ? event.key.toLowerCase() : undefined;
    if (event.key === 'Escape' || event.key === 'Tab') menus.open.set(undefined);
    else if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === 'ArrowUp') buttons.at((at - 1) % buttons.length)?.focus();
    else if (event.key === 'Home') buttons[0]?.focus();
    else if (event.key === 'End') buttons.at(-1)?.focus();
    else if (letter !== undefined && letter !== ' ')
      [...buttons.slice(at + 1), ...buttons]
        .find((each) => each.textContent?.toLowerCase().startsWith(letter))
        ?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} className="menu popover" role="menu" aria-label={label} style={place} onKeyDown={onKeyDown}>
      {items.map((item, index) =>
        item === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their place
          <hr key={index} />
        ) : (
          <button
            key={item.title}
            type="button"
            role="menuitem"
            className="menu-item"
            tabIndex={-1}
            title={item.refused}
            aria-disabled={item.refused !== undefined}
            onClick={() => {
              if (item.refused !== undefined) return;
              menus.open.set(undefined);
              item.run();
            }}
          >
            {item.icon ? <Icon name={item.icon} /> : <span className="lead" />}
            <span className="grow">{item.title}</span>
            {item.keys !== undefined && <kbd>{shownChord(item.keys, bridge.operatingSystem)}</kbd>}
          </button>
        ),
      )}
    </div>
  );
}
