/** Pause or resume: the one button, and beside it every other way to pause. */
import { Menu } from '@base-ui/react/menu';
import { useRef, type JSX } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { pause, resume } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { pauseOrResume } from '../../host-state.ts';
import { openDialog } from '../../stores/dialog-store.ts';
import { words } from '../../words.ts';
import { PAUSES } from './pauses.ts';

export interface PauseMenuProps {
  readonly overview: OverviewView;
  readonly connected: boolean;
}

export function PauseMenu({ overview, connected }: PauseMenuProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const can = pauseOrResume(overview);
  const text = can === 'resume' ? words.host.resume : words.host.pause;
  const onBattery = overview.pause?.onBattery === true;
  return (
    <div className="row">
      <Button
        kind="ghost"
        small
        icon={can === 'resume' ? 'play' : 'pause'}
        disabled={!connected || can === null}
        onClick={can === 'resume' ? resume : () => pause()}
        title={text}
      >
        {text}
      </Button>
      <Menu.Root>
        <Menu.Trigger
          className="btn ghost sm icon pause-more"
          aria-label={words.pause.more}
          title={words.pause.more}
          disabled={!connected || can === null}
        >
          <Icon name="updown" size={14} />
        </Menu.Trigger>
        <Menu.Portal container={place}>
          <Menu.Positioner
            className="menu-at"
            positionMethod="fixed"
            side="bottom"
            align="end"
            sideOffset={4}
          >
            <Menu.Popup className="menu">
              {PAUSES.map(({ name, wish }) => (
                <Menu.Item key={name} onClick={() => pause(wish(Date.now()))}>
                  <Icon name="pause" />
                  {words.pause.kinds[name]}
                </Menu.Item>
              ))}
              <Menu.CheckboxItem
                checked={onBattery}
                onCheckedChange={(checked) => (checked ? pause({ onBattery: true }) : resume())}
              >
                <Icon name={onBattery ? 'check' : 'power'} />
                {words.pause.onBattery}
              </Menu.CheckboxItem>
              <hr />
              <Menu.Item onClick={() => openDialog({ kind: 'pause' })}>
                <Icon name="pause" />
                {words.pause.withNote}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <div ref={place} />
    </div>
  );
}
