/** The client of this page, with the browser behind its ports. One a tab. */
import { SOCKET_PATH } from '../../main/contract/frames.ts';
import { HostClient, type Socket } from './host-client.ts';
import { forgetToken, signIn } from './sign-in.ts';

const RELOADED_KEY = 'runner-host.reloaded-for';

export const pageClient = new HostClient({
  openSocket: () => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    return adapt(new WebSocket(`${scheme}://${location.host}${SOCKET_PATH}`));
  },
  signIn: () =>
    signIn({
      hash: () => location.hash,
      cleanAddress: () => history.replaceState(null, '', `${location.pathname}#/`),
      storage: sessionStorage,
      fetch: (path, init) => fetch(path, init),
    }),
  forgetToken: () => forgetToken(sessionStorage),
  reloadOnce: (hostContract) => {
    if (sessionStorage.getItem(RELOADED_KEY) === String(hostContract)) return false;
    sessionStorage.setItem(RELOADED_KEY, String(hostContract));
    location.reload();
    return true;
  },
  nowMs: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  fraction: () => Math.random(),
});

function adapt(webSocket: WebSocket): Socket {
  const socket: Socket = {
    send: (text) => {
      if (webSocket.readyState === WebSocket.OPEN) webSocket.send(text);
    },
    close: () => webSocket.close(),
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  webSocket.onopen = () => socket.onopen?.();
  webSocket.onmessage = (event: MessageEvent<unknown>) => socket.onmessage?.({ data: event.data });
  webSocket.onclose = () => socket.onclose?.();
  return socket;
}
