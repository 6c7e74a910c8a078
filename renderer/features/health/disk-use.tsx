/** What this runner takes of the disk, against its budget; what is free, against the floor. */
import type { JSX, ReactNode } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { Status } from '../../components/status.tsx';
import { formatBytes } from '../../format.ts';
import { words } from '../../words.ts';

export function DiskUse({ overview }: { readonly overview: OverviewView }): JSX.Element {
  const { storage, logBytes } = overview;
  const { usedBytes, budgetBytes, freeBytes, floorBytes, engineLogBytes } = storage;
  const { localCommandBytes, localCommandBudgetBytes } = storage;
  const text = words.health;
  const share =
    usedBytes === null || budgetBytes === null || budgetBytes === 0
      ? null
      : usedBytes / budgetBytes;
  const isOver = share !== null && share > 1;
  const isLow = freeBytes !== null && floorBytes !== null && freeBytes < floorBytes;
  const used =
    usedBytes === null
      ? text.notMeasured
      : budgetBytes === null
        ? text.noBudget(formatBytes(usedBytes))
        : text.usedOf(formatBytes(usedBytes), formatBytes(budgetBytes));
  const free =
    freeBytes === null
      ? text.notKnown
      : floorBytes === null
        ? formatBytes(freeBytes)
        : text.freeFloor(formatBytes(freeBytes), formatBytes(floorBytes));
  return (
    <section aria-labelledby="disk-use">
      <div className="sec-head">
        <h2 id="disk-use">{text.disk}</h2>
      </div>
      <dl className="panel disk">
        <Line name={text.used}>
          {isOver ? <Status glyph="attention" size={12} text={text.overBudget} /> : null}
          {used}
        </Line>
        {share === null ? null : (
          <dd className="disk-meter">
            <span
              className={`meter${isOver ? ' over' : ''}`}
              role="img"
              aria-label={text.diskMeter(Math.round(share * 100))}
            >
              <i style={{ width: `${Math.min(1, share) * 100}%` }} />
            </span>
          </dd>
        )}
        <Line name={text.jobLogs}>{formatBytes(logBytes)}</Line>
        {engineLogBytes === 0 ? null : (
          <Line name={text.engineLogs}>{text.about(formatBytes(engineLogBytes))}</Line>
        )}
        {localCommandBytes === null || localCommandBytes === 0 ? null : (
          <Line name={text.ofCommands}>
            {localCommandBudgetBytes === null
              ? text.noBudget(formatBytes(localCommandBytes))
              : text.usedOf(formatBytes(localCommandBytes), formatBytes(localCommandBudgetBytes))}
          </Line>
        )}
        <Line name={text.free}>
          {isLow ? <Status glyph="attention" size={12} text={text.belowFloor} /> : null}
          {free}
        </Line>
        {budgetBytes === null ? null : <dd className="t3 small disk-how">{text.diskHow}</dd>}
      </dl>
    </section>
  );
}

interface LineProps {
  readonly name: string;
  readonly children: ReactNode;
}

function Line({ name, children }: LineProps): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
