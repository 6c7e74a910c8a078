/** One click turns something on or off, and it counts at once. */
import './switch.css';
import type { JSX } from 'react';

export interface SwitchProps {
  readonly isOn: boolean;
  /** What is on or off. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onTurn: (isOn: boolean) => void;
}

export function Switch({ isOn, label, disabled = false, onTurn }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      className="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={() => onTurn(!isOn)}
    />
  );
}
