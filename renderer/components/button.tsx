/** The one button: ink when primary, quiet else. */
import type { JSX, ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';

export interface ButtonProps {
  readonly children?: ReactNode;
  readonly onClick: () => void;
  readonly icon?: string;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'solid-danger' | 'ghost';
  readonly small?: boolean;
  readonly disabled?: boolean;
  /** The name, where the text alone does not say it. */
  readonly label?: string;
  readonly title?: string;
  readonly pressed?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

const KINDS = {
  plain: '',
  primary: ' primary',
  danger: ' danger',
  'solid-danger': ' danger solid',
  ghost: ' ghost',
} as const;

export function Button(props: ButtonProps): JSX.Element {
  const { children, icon, kind = 'plain', small = false } = props;
  const iconOnly = children === undefined ? ' icon' : '';
  return (
    <button
      type="button"
      ref={props.ref}
      className={`btn${KINDS[kind]}${small ? ' sm' : ''}${iconOnly}`}
      onClick={props.onClick}
      disabled={props.disabled}
      aria-label={props.label}
      aria-pressed={props.pressed}
      title={props.title ?? (iconOnly === '' ? undefined : props.label)}
    >
      {icon === undefined ? null : <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  );
}
