/** The bar above a log. */
import { Menu } from '@base-ui/react/menu';
import { useSyncExternalStore, type JSX } from 'react';
import { logWords } from '../../job-words.ts';
import { TIME_MODES, type TimeMode } from '../../log/log-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { LogController } from './log-controller.ts';

export interface LogToolsProps {
  readonly controller: LogController;
  readonly time: TimeMode;
  readonly wrap: boolean;
  readonly downloading: number | null;
  readonly onTime: (time: TimeMode) => void;
  readonly onWrap: () => void;
  readonly onCopy: (withTimes: boolean) => void;
  readonly onDownload: () => void;
  /** Drawn anew with each frame, since hits stream in. */
  readonly finder: () => JSX.Element;
}

export function LogTools(props: LogToolsProps): JSX.Element {
  const { selection } = useSyncExternalStore(props.controller.subscribe, props.controller.snapshot);
  const { downloading } = props;
  return (
    <div className="logbar" role="toolbar" aria-label={logWords.tools}>
      {props.finder()}
      <span className="grow" />
      <Menu.Root>
        <Menu.Trigger className="btn sm ghost lb-time" title={logWords.time.label}>
          <Icon name="clock" size={14} />
          {logWords.time[props.time]}
          <Icon name="down" size={14} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="menu-at" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.RadioGroup
                value={props.time}
                onValueChange={(value: unknown) => {
                  const chosen = TIME_MODES.find((mode) => mode === value);
                  if (chosen !== undefined) props.onTime(chosen);
                }}
              >
                {TIME_MODES.map((mode) => (
                  <Menu.RadioItem key={mode} value={mode} className="menu-item" closeOnClick>
                    <span className="menu-check">
                      <Menu.RadioItemIndicator>
                        <Icon name="check" size={14} />
                      </Menu.RadioItemIndicator>
                    </span>
                    {logWords.time[mode]}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Button
        small
        kind="ghost"
        icon="wrap"
        label={logWords.wrap}
        pressed={props.wrap}
        onClick={props.onWrap}
      />
      <span className="sep" />
      <Button
        small
        kind="ghost"
        icon="copy"
        label={logWords.copy}
        disabled={selection === null}
        onClick={() => props.onCopy(false)}
      />
      <Button
        small
        kind="ghost"
        icon="download"
        label={downloading === null ? logWords.download : logWords.downloading(downloading)}
        disabled={downloading !== null}
        onClick={props.onDownload}
      />
    </div>
  );
}
