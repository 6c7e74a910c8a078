/**
 * The status glyphs of `resources/icons/ui-sprite.svg` as shapes, drawn in place: they stand in every row of
 * long lists, and a reference into a file of symbols makes a tree of its own for each one.
 */
import type { JSX } from 'react';

export const GLYPH_SHAPES: Readonly<Record<string, JSX.Element>> = {
  running: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path
        d="M6.4 5.5v5l4.2-2.5Z"
        fill="currentColor"
        stroke="currentColor"
        strokeWidth=".75"
        strokeLinejoin="round"
      />
    </>
  ),
  succeeded: (
    <>
      <circle cx="8" cy="8" r="6.75" fill="currentColor" />
      <path
        d="m5.1 8.2 2 2 3.8-4.2"
        fill="none"
        stroke="var(--status-on)"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  failed: (
    <>
      <path
        d="M7 1.4a1.4 1.4 0 0 1 2 0L14.6 7a1.4 1.4 0 0 1 0 2L9 14.6a1.4 1.4 0 0 1-2 0L1.4 9a1.4 1.4 0 0 1 0-2Z"
        fill="currentColor"
      />
      <path
        d="m6.1 6.1 3.8 3.8M9.9 6.1 6.1 9.9"
        stroke="var(--status-on)"
        strokeWidth="1.6"
        strokeLinecap="round"
      />
    </>
  ),
  stopped: (
    <>
      <rect
        x="2.25"
        y="2.25"
        width="11.5"
        height="11.5"
        rx="2.75"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
      />
      <rect x="5.75" y="5.75" width="4.5" height="4.5" rx=".75" fill="currentColor" />
    </>
  ),
  lost: (
    <>
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeDasharray="2.7 2.012"
      />
      <path
        d="M6.4 6.5a1.65 1.65 0 1 1 2.4 1.45c-.5.27-.8.5-.8 1.05"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <circle cx="8" cy="10.9" r=".9" fill="currentColor" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path
        d="M8 4.9V8l2 1.4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  paused: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path
        d="M6.35 5.9v4.2M9.65 5.9v4.2"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  offline: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path d="m4 12 8-8" stroke="currentColor" strokeWidth="1.75" />
    </>
  ),
  attention: (
    <>
      <path
        d="M6.85 2.3 1.6 11.5A1.35 1.35 0 0 0 2.77 13.5h10.46a1.35 1.35 0 0 0 1.17-2L9.15 2.3a1.33 1.33 0 0 0-2.3 0Z"
        fill="currentColor"
      />
      <path d="M8 5.75v3.1" stroke="var(--status-on)" strokeWidth="1.6" strokeLinecap="round" />
      <circle cx="8" cy="11.1" r=".95" fill="var(--status-on)" />
    </>
  ),
  reporting: (
    <>
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeDasharray="28.3 9.4"
        strokeDashoffset="-4.7"
        transform="rotate(-90 8 8)"
      />
      <path
        d="M8 11V5.6M5.75 7.6 8 5.35l2.25 2.25"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  online: (
    <>
      <circle cx="8" cy="8" r="6.75" fill="currentColor" />
      <path
        d="m5.1 8.2 2 2 3.8-4.2"
        fill="none"
        stroke="var(--status-on)"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  stopping: (
    <>
      <rect
        x="2.25"
        y="2.25"
        width="11.5"
        height="11.5"
        rx="2.75"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeDasharray="3 2"
      />
      <rect x="5.75" y="5.75" width="4.5" height="4.5" rx=".75" fill="currentColor" />
    </>
  ),
  next: (
    <>
      <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  muted: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path d="M5.25 8h5.5" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
    </>
  ),
};
