/** The native extras the page gets on the desktop: a handful of names, each with its own channel. */

/** Where the page finds them; not there in a browser. */
export const BRIDGE_NAME = 'preloopDesktop';

export interface AboutDesktop {
  readonly version: string;
  readonly electron: string;
  readonly chromium: string;
  readonly node: string;
}

export interface DesktopBridge {
  about(): Promise<AboutDesktop>;
  /** The page's token is no longer taken: the window loads a fresh sign-in address. */
  signInAgain(): Promise<void>;
}

export const BRIDGE_CHANNELS: Readonly<Record<keyof DesktopBridge, string>> = {
  about: 'desktop:about',
  signInAgain: 'desktop:sign-in-again',
};
