/** How a shape of the double is compared with Electron's own, in types alone. Each gives `true`, or what is wrong. */
import type * as Electron from 'electron';
import type { BrowserWindowDouble } from './browser-window.ts';
import type { PreventableEvent } from './emitter.ts';
import type { MenuDouble } from './menu.ts';
import type { NativeImageDouble } from './tray.ts';
import type { UtilityProcessDouble } from './utility-process.ts';
import type { FrameDouble, WebContentsDouble } from './web-contents.ts';

// What may stand for any function in a type: parameters are compared where they are known.
type AnyFunction = (...args: never[]) => unknown;

/** Electron's thing that a double stands for: each is compared by itself, so within another it counts as the real one. */
type AsReal<T> = T extends BrowserWindowDouble
  ? Electron.BrowserWindow
  : T extends WebContentsDouble
    ? Electron.WebContents
    : T extends UtilityProcessDouble
      ? Electron.UtilityProcess
      : T extends MenuDouble
        ? Electron.Menu
        : T extends NativeImageDouble
          ? Electron.NativeImage
          : T extends PreventableEvent
            ? Electron.Event
            : T extends FrameDouble
              ? Electron.WebFrameMain
              : T;
/** Each argument by itself. */
type AllAsReal<Args extends readonly unknown[]> = { -readonly [I in keyof Args]: AsReal<Args[I]> };

/**
 * A method of the double fits where Electron's takes all that it takes, it asks for no more, and it gives back what
 * Electron's may give back; anything else where it is of Electron's type.
 */
type Fits<Real, Double> = Double extends AnyFunction
  ? Real extends AnyFunction
    ? Real extends (...args: AllAsReal<Parameters<Double>>) => unknown
      ? Anything<Parameters<Real>> extends readonly [...Anything<Parameters<Double>>, ...unknown[]]
        ? FitsResult<ReturnType<Real>, AsReal<ReturnType<Double>>>
        : ['asks for more than Electron', Parameters<Real>]
      : ['takes other arguments', Parameters<Real>]
    : 'is no function in Electron'
  : AsReal<Double> extends Real
    ? true
    : ['is another type in Electron', Real];
/** As many, whatever they are. */
type Anything<Args extends readonly unknown[]> = { -readonly [I in keyof Args]: unknown };
type FitsResult<Real, Double> = [Double] extends [Real]
  ? true
  : ['gives back something else than Electron', Real];

/** For each member. */
export type Members<Real, Double, Names extends keyof Double> = {
  [N in Names]: N extends keyof Real ? Fits<Real[N], Double[N]> : ['is not in Electron', N];
};

/** For each event: what the double sends has to be what Electron's listeners take. */
export type Events<Real extends { on: AnyFunction }, Map> = {
  [E in keyof Map]: Map[E] extends readonly unknown[]
    ? Real['on'] extends (event: E, listener: (...args: AllAsReal<Map[E]>) => void) => unknown
      ? true
      : ['is no such event in Electron, or sends something else', E]
    : never;
};

/** All that is wrong in a record of comparisons; `never` where nothing is. */
export type Wrong<Checked> = {
  [Part in keyof Checked]: Exclude<Checked[Part][keyof Checked[Part]], true>;
}[keyof Checked];
