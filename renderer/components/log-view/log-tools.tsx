/** The bar above a log, right of the find field: times, wrap, copy, download. */
import { Menu } from '@base-ui/react/menu';
import { memo, useSyncExternalStore, type JSX } from 'react';
import { logWords } from '../../job-words.ts';
import { TIME_MODES, type TimeMode } from '../../log/log-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { LogController } from './log-controller.ts';

export interface LogToolsProps {
  readonly controller: LogController;
  readonly time: TimeMode;
  readonly wrap: boolean;
  /** There is a log to download. */
  readonly downloadable: boolean;
  readonly downloading: number | null;
  readonly onTime: (time: TimeMode) => void;
  readonly onWrap: () => void;
  readonly onCopy: (withTimes: boolean) => void;
  readonly onDownload: () => void;
}

/** Drawn anew when something of it changes only, and not with each line that arrives. */
export const LogTools = memo(function LogTools(props: LogToolsProps): JSX.Element {
  const { controller, downloading } = props;
  const selected = useSyncExternalStore(
    controller.subscribe,
    () => controller.snapshot().selection !== null,
  );
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          className="btn sm ghost lb-time"
          title={logWords.time.label}
          aria-label={logWords.time.chosen(props.time)}
        >
          <Icon name="clock" size={14} />
          <span className="lb-word">{logWords.time[props.time]}</span>
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
        disabled={!selected}
        onClick={() => props.onCopy(false)}
      />
      <Button
        small
        kind="ghost"
        icon="download"
        label={downloading === null ? logWords.download : logWords.downloading(downloading)}
        disabled={downloading !== null || !props.downloadable}
        onClick={props.onDownload}
      />
    </>
  );
});
