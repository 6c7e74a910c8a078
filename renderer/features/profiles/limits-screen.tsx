/** Says aloud what a local command is not. Reached from the empty list, the first question, and ever after. */
import type { JSX } from 'react';
import { Icon } from '../../components/icon.tsx';
import { words } from '../../words.ts';
import { ScreenHead } from './screen-head.tsx';

export function LimitsScreen(): JSX.Element {
  const text = words.profiles;
  return (
    <div className="page scrolls">
      <ScreenHead title={text.limitsTitle} />
      <div className="limits">
        <p className="limits-lead">{text.limitsLead}</p>
        <dl>
          {text.limits.map(([what, why]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{why}</dd>
            </div>
          ))}
        </dl>
        <h2>{text.limitsHolds}</h2>
        <ul>
          {text.limitsHoldsBody.map((line) => (
            <li key={line}>
              <Icon name="check" size={14} />
              {line}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
