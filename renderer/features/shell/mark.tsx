/** The product's mark: an open loop with the block that goes in. */
import type { JSX } from 'react';

export function Mark({ size = 28 }: { readonly size?: number }): JSX.Element {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M13.707 7.299A5.75 5.75 0 1 1 8.701 2.293" fill="none" strokeWidth="2" />
      <rect x="10.1" y="1.9" width="4" height="4" rx="1" />
    </svg>
  );
}
