/** The handlers that the shell gave the session for permissions, to be asked by the test. Once Electron is ready. */
import { session, type Session } from 'electron';
import { replaced } from './replaced.ts';

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];
type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];

let request: RequestHandler = null;
let check: CheckHandler = null;
let device: DeviceHandler = null;
/** The shell decides by the permission's name alone. */
const nothing = {} as never;

export function watchPermissions(): void {
  const pages = session.defaultSession;
  replaced(pages, 'setPermissionRequestHandler', (given) => (handler) => {
    request = handler;
    given(handler);
  });
  replaced(pages, 'setPermissionCheckHandler', (given) => (handler) => {
    check = handler;
    given(handler);
  });
  replaced(pages, 'setDevicePermissionHandler', (given) => (handler) => {
    device = handler;
    given(handler);
  });
}

/** Without a handler Electron grants everything. */
export async function askPermission(
  permission: string,
): Promise<{ request: boolean; check: boolean; device: boolean }> {
  const name = permission as never;
  const asked = request;
  return {
    request:
      asked === null ||
      (await new Promise<boolean>((resolve) => {
        asked(nothing, name, resolve, nothing);
      })),
    check: check?.(null, name, '', nothing) ?? true,
    device: device?.(nothing) ?? true,
  };
}
