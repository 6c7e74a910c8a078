/** Keeps every page of this app on the host's own address, and without rights. In force before there is a window. */
import { app, session, shell, type Session, type WebContents } from 'electron';
import { ask } from './ask.ts';
import { externalUrl, isOwnPage } from './url-policy.ts';
import { linkQuestion } from './words.ts';

/** Copying text is all a page may do beside showing itself. */
const ALLOWED_PERMISSION = 'clipboard-sanitized-write';

export interface PageGuardOptions {
  /** Of the host's page; null until there is one, and then nothing may be visited. */
  readonly ownOrigin: () => string | null;
  /** Of the service, whose addresses open without a question. */
  readonly serviceOrigin: () => string | null;
}

/** Guards what exists and what is made later. Once, after `app` is ready. */
export function guardPages(options: PageGuardOptions): void {
  refusePermissions(session.defaultSession);
  app.on('web-contents-created', (_event, contents) => guard(contents, options));
}

function refusePermissions(pages: Session): void {
  pages.setPermissionRequestHandler((_contents, permission, decide) => {
    decide(permission === ALLOWED_PERMISSION);
  });
  pages.setPermissionCheckHandler((_contents, permission) => permission === ALLOWED_PERMISSION);
  pages.setDevicePermissionHandler(() => false);
}

function guard(contents: WebContents, options: PageGuardOptions): void {
  const mayVisit = (url: string): boolean => {
    const origin = options.ownOrigin();
    return origin !== null && isOwnPage(url, origin);
  };
  contents.on('will-navigate', (event) => {
    if (!mayVisit(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    if (!mayVisit(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!mayVisit(event.url)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
  });
  // Without this Electron takes the first device in reach.
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault();
    choose('');
  });
  contents.setWindowOpenHandler(({ url }) => {
    void openOutside(url, options.serviceOrigin());
    return { action: 'deny' };
  });
}

/** One question at a time: a page that opens link after link must not bury the desktop in boxes. */
let isAsking = false;

/** A link may come out of a log, so its host is shown first; only the service's own need no question. */
async function openOutside(address: string, serviceOrigin: string | null): Promise<void> {
  const url = externalUrl(address);
  if (url === null || isAsking) return;
  if (url.origin !== serviceOrigin && !(await isAgreedTo(url))) return;
  await shell.openExternal(url.href).catch(() => undefined);
}

async function isAgreedTo(url: URL): Promise<boolean> {
  isAsking = true;
  try {
    const question = linkQuestion(url);
    return (await ask(question)) !== question.stay;
  } finally {
    isAsking = false;
  }
}
