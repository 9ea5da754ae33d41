import type { CompletionItem } from '@svc/protocol/language';
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { placeSuggestions } from './suggestion-place.ts';
import { asks, fitting, taken } from './suggestions.ts';

interface ExpressionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Absent where a label elsewhere names the field by its id. */
  readonly label?: string | undefined;
  readonly id?: string | undefined;
  readonly describedBy?: string | undefined;
  /** Class of the field itself, where it has the frame of a form. */
  readonly inputClassName?: string | undefined;
  /** Where in the text the expression would be; absent: nothing is suggested. */
  readonly place?: { readonly path: string; readonly offset: number } | undefined;
  readonly placeholder?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly className?: string | undefined;
  readonly isInvalid?: boolean | undefined;
  readonly autoFocus?: boolean | undefined;
  /** Called for keys that the suggestions do not take. */
  readonly onKeyDown?: ((event: KeyboardEvent<HTMLInputElement>) => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
}

/** One line for an expression, completed as the editor would at its place: Tab takes, Escape closes, arrows choose. */
export function ExpressionField(props: ExpressionFieldProps) {
  const { value, onChange, label, place, onKeyDown } = props;
  const { language } = useStudio();
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const [items, setItems] = useState<readonly CompletionItem[]>([]);
  const [chosen, setChosen] = useState(0);
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  useSuggestionPlace(input, box, items, props.className?.includes('below') === true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
  useLayoutEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [items, chosen]);

  const close = () => {
    asking.current?.abort();
    setItems([]);
  };
  const suggest = async (text: string, caret: number, always = false) => {
    asking.current?.abort();
    if (place === undefined || !(always || asks(text, caret))) return setItems([]);
    const controller = new AbortController();
    asking.current = controller;
    const args = [place.path, place.offset, text, caret] as const;
    const found = await language.ask('expressionCompletion', [...args], controller.signal);
    setItems(fitting(found, text, caret));
    setChosen(0);
  };
  const take = (item: CompletionItem) => {
    const next = taken(item, value);
    onChange(next.text);
    close();
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    const isOpen = items.length > 0;
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === ' ' && event.ctrlKey) void suggest(value, event.currentTarget.selectionStart ?? 0, true);
    else if (isOpen && move !== 0) setChosen((chosen + move + items.length) % items.length);
    else if (isOpen && event.key === 'Tab' && !event.shiftKey) take(items[chosen] as CompletionItem);
    else if (isOpen && event.key === 'Escape') close();
    else {
      if (event.key === 'Enter') close();
      return onKeyDown?.(event);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className={`expression-field ${props.className ?? ''}`}>
      <input
        ref={input}
        id={props.id}
        className={props.inputClassName ?? 'expression-input mono'}
        aria-describedby={props.describedBy}
        role="combobox"
        aria-label={label}
        aria-expanded={items.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-invalid={props.isInvalid}
        aria-activedescendant={items.length > 0 ? `${list}-${chosen}` : undefined}
        value={value}
        spellCheck={false}
        autoComplete="off"
        disabled={props.disabled}
        placeholder={props.placeholder}
        // biome-ignore lint/a11y/noAutofocus: only where a person has just asked for the field
        autoFocus={props.autoFocus}
        onChange={({ target }) => {
          onChange(target.value);
          void suggest(target.value, target.selectionStart ?? target.value.length);
        }}
        onKeyDown={pressed}
        onBlur={() => {
          close();
          props.onBlur?.();
        }}
      />
      <div
        ref={box}
        id={list}
        className="expression-suggestions popover"
        role="listbox"
        popover="manual"
        aria-label="Suggestions"
      >
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field (WAI-ARIA, combobox)
          <div
            key={item.label}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            title={item.doc}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(item)}
          >
            <span className="name">{item.label}</span>
            <span className="meta">{item.detail}</span>
          </div>
        ))}
      </div>
    </span>
  );
}

/** Shows the list above everything else while it has items, since what is around the field may be smaller than it. */
function useSuggestionPlace(
  field: RefObject<HTMLInputElement | null>,
  list: RefObject<HTMLDivElement | null>,
  items: readonly CompletionItem[],
  prefersBelow: boolean,
): void {
  useLayoutEffect(() => {
    const { current: box } = list;
    const { current: input } = field;
    if (box === null || input === null || items.length === 0) return;
    box.showPopover();
    const place = () => {
      box.style.maxHeight = '';
      const { offsetWidth: width, scrollHeight: height } = box;
      const size = { width: window.innerWidth, height: window.innerHeight };
      const at = placeSuggestions(input.getBoundingClientRect(), { width, height }, size, prefersBelow);
      box.style.left = `${at.left}px`;
      box.style.top = at.top === undefined ? 'auto' : `${at.top}px`;
      box.style.bottom = at.bottom === undefined ? 'auto' : `${at.bottom}px`;
      box.style.maxHeight = `min(${at.height}px, 300px)`;
    };
    place();
    const scrolled = ({ target }: Event) => target !== box && place();
    window.addEventListener('resize', place);
    window.addEventListener('scroll', scrolled, { capture: true, passive: true });
    return () => {
      window.removeEventListener('resize', place);
      window.removeEventListener('scroll', scrolled, { capture: true });
      if (box.isConnected) box.hidePopover();
    };
  }, [field, list, items, prefersBelow]);
}
