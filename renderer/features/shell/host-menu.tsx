/** The menu behind the runner's name: what is done to the runner as a whole, and seldom. */
import { Menu } from '@base-ui/react/menu';
import { useRef, type JSX, type ReactNode } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { copyText, goOnline, takeBack } from '../../actions.ts';
import { Icon } from '../../components/icon.tsx';
import { openDialog } from '../../stores/dialog-store.ts';
import { words } from '../../words.ts';
import { Mark } from './mark.tsx';

export interface HostMenuProps {
  readonly overview: OverviewView | null;
  readonly connected: boolean;
  readonly children: ReactNode;
}

export function HostMenu({ overview, connected, children }: HostMenuProps): JSX.Element {
  const runnerId = overview?.runnerId ?? null;
  const offline = overview?.intake === 'offline';
  const waiting = overview?.session.kind === 'waiting';
  // Inside the side bar, so that it belongs to that region.
  const place = useRef<HTMLDivElement>(null);
  return (
    <Menu.Root>
      <Menu.Trigger className="host-id" title={overview?.name}>
        <Mark />
        {children}
        <Icon name="updown" />
      </Menu.Trigger>
      <Menu.Portal container={place}>
        <Menu.Positioner
          className="menu-at"
          positionMethod="fixed"
          side="bottom"
          align="start"
          sideOffset={4}
        >
          <Menu.Popup className="menu">
            {offline ? (
              <Item icon="power" text={words.host.goOnline} off={!connected} act={goOnline} />
            ) : (
              <Item
                icon="power"
                text={words.host.goOffline}
                off={!connected}
                act={() => openDialog({ kind: 'go_offline' })}
              />
            )}
            {waiting ? (
              <Item icon="refresh" text={words.host.reconnect} off={!connected} act={goOnline} />
            ) : null}
            {overview?.session.refusal === 'replaced' ? (
              <Item icon="back" text={words.host.takeBack} off={!connected} act={takeBack} />
            ) : null}
            {runnerId === null ? null : (
              <Item
                icon="copy"
                text={words.host.copyId}
                act={() => copyText(runnerId, words.host.copied)}
              />
            )}
            <hr />
            <Item
              icon="keyboard"
              text={words.host.shortcuts}
              act={() => openDialog({ kind: 'shortcuts' })}
            />
            <Item
              icon="power"
              text={words.host.quit}
              off={!connected}
              act={() => openDialog({ kind: 'quit' })}
            />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
      <div ref={place} />
    </Menu.Root>
  );
}

interface ItemProps {
  readonly icon: string;
  readonly text: string;
  readonly act: () => void;
  readonly off?: boolean;
}

function Item({ icon, text, act, off = false }: ItemProps): JSX.Element {
  return (
    <Menu.Item onClick={act} disabled={off}>
      <Icon name={icon} />
      {text}
    </Menu.Item>
  );
}
