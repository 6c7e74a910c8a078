/** What a test sees of the app, and what it can do to it. Data only: it crosses a process border. */
import * as z from 'zod';

export interface MenuRow {
  readonly label: string;
  readonly enabled: boolean;
  readonly separator: boolean;
  readonly submenu: readonly MenuRow[] | null;
}
const menuRowSchema: z.ZodType<MenuRow> = z.lazy(() =>
  z.object({
    label: z.string(),
    enabled: z.boolean(),
    separator: z.boolean(),
    submenu: z.array(menuRowSchema).nullable(),
  }),
);

export const desktopStateSchema = z.object({
  tray: z
    .object({
      image: z.string(),
      toolTip: z.string(),
      menu: z.array(menuRowSchema),
    })
    .nullable(),
  windows: z.array(
    z.object({
      id: z.number(),
      visible: z.boolean(),
      url: z.string(),
      /** Its page has no process, and none was started for it since. */
      crashed: z.boolean(),
      preferences: z.record(z.string(), z.unknown()),
    }),
  ),
  dialogs: z.array(
    z.object({
      id: z.number(),
      message: z.string(),
      detail: z.string(),
      buttons: z.array(z.string()),
    }),
  ),
  errors: z.array(z.object({ title: z.string(), content: z.string() })),
  openedOutside: z.array(z.string()),
  utilities: z.array(z.object({ pid: z.number(), entry: z.string() })),
  /** Where a test's Playwright can reach the windows; null before there is one. */
  chromium: z.string().nullable(),
});
export type DesktopState = z.infer<typeof desktopStateSchema>;

export const orderSchema = z.discriminatedUnion('kind', [
  /** Whoever started it is ready; until then nothing of the shell happens after its first lines. */
  z.object({ kind: z.literal('begin') }),
  /** Labels from the top row down. */
  z.object({ kind: z.literal('click_menu'), path: z.array(z.string()) }),
  z.object({ kind: z.literal('click_tray') }),
  z.object({ kind: z.literal('answer'), dialog: z.number(), button: z.string() }),
  z.object({
    kind: z.literal('power'),
    event: z.enum(['resume', 'shutdown', 'on-battery', 'on-ac']),
  }),
  /** As the person does it, with the window's own button. */
  z.object({ kind: z.literal('close_window'), window: z.number() }),
  z.object({ kind: z.literal('crash_page'), window: z.number() }),
  z.object({ kind: z.literal('quit') }),
  /** A call of the bridge as if the window's first sub frame had it. */
  z.object({ kind: z.literal('call_from_frame'), window: z.number(), channel: z.string() }),
  z.object({ kind: z.literal('ask_permission'), permission: z.string() }),
]);
export type Order = z.infer<typeof orderSchema>;

export const toAppSchema = z.object({ id: z.number(), order: orderSchema });
export const fromAppSchema = z.union([
  z.object({ id: z.number(), result: z.unknown() }),
  z.object({ id: z.number(), problem: z.string() }),
  z.object({ state: desktopStateSchema }),
]);
