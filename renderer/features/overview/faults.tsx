/** What else needs a person, worst first, each with its one remedy; at most four rows. */
import type { JSX, ReactNode } from 'react';
import type { OverviewView, PermissionView } from '../../../main/contract/views.ts';
import { permissionViewSchema } from '../../../main/contract/views.ts';
import { askToAllow, checkEngine } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';
import { shortId } from '../../format.ts';
import { formatRoute } from '../../router.ts';
import { words } from '../../words.ts';

const MOST = 4;

export interface FaultsProps {
  readonly overview: OverviewView;
  readonly connected: boolean;
}

export function Faults({ overview, connected }: FaultsProps): JSX.Element | null {
  const rows = [
    ...hostRows(overview),
    ...networkRows(overview),
    ...clockRows(overview),
    ...engineRows(overview, connected),
    ...permissionRows(overview, connected),
  ];
  if (rows.length === 0) return null;
  return (
    <ul className="panel rows">
      {rows.slice(0, MOST)}
      {rows.length <= MOST ? null : (
        <li key="more">
          <More count={rows.length - MOST} wanted={overview.wantingPermission.length} />
        </li>
      )}
    </ul>
  );
}

/** Where the rest is told of: permissions come last, so that they alone are cut off first. */
function More({ count, wanted }: { readonly count: number; readonly wanted: number }): JSX.Element {
  const { moreInHealth, moreInPermissions } = words.overview;
  return wanted >= count ? (
    <a href={formatRoute({ name: 'permissions' })}>{moreInPermissions(count)}</a>
  ) : (
    <a href={formatRoute({ name: 'health' })}>{moreInHealth(count)}</a>
  );
}

/** The sentence says what is wrong with the way to the service; what to do about it takes more room. */
function networkRows({ session }: OverviewView): JSX.Element[] {
  const { cause, remedy } = session;
  if (cause === null || remedy === null) return [];
  return [<FaultRow key="network" what={capital(cause)} why={remedy} />];
}

function clockRows({ clockSkewMs }: OverviewView): JSX.Element[] {
  if (clockSkewMs === null) return [];
  const { clockFault, clockFaultBody } = words.overview;
  return [<FaultRow key="clock" what={clockFault(clockSkewMs)} why={clockFaultBody} />];
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** In the host's own words, each with its remedy; there is nothing here to press. */
function hostRows({ faults }: OverviewView): JSX.Element[] {
  return faults.map(({ id, what, why }) => (
    <FaultRow key={id} what={what} why={why}>
      {null}
    </FaultRow>
  ));
}

function engineRows({ engine, sentence }: OverviewView, connected: boolean): JSX.Element[] {
  if (engine.kind === 'ready' || engine.kind === 'looking') return [];
  // Where the sentence offers to look again, a second button for that would be one too many.
  const again =
    sentence.remedy?.action === 'check_engine' ? null : (
      <Button icon="refresh" onClick={checkEngine} disabled={!connected}>
        {words.overview.checkAgain}
      </Button>
    );
  const told = engine.remedy !== null && sentence.consequence.includes(engine.remedy);
  return [
    <FaultRow
      key="engine"
      what={words.overview.dockerFault(engine.kind)}
      why={[engine.reason, told ? null : engine.remedy].filter((part) => part !== null).join(' ')}
    >
      {again}
    </FaultRow>,
  ];
}

function permissionRows({ wantingPermission }: OverviewView, connected: boolean): JSX.Element[] {
  return wantingPermission.map((wanted) => {
    const permission = toPermission(wanted);
    const name = permission === null ? wanted.option : words.option(permission.option).name;
    return (
      <FaultRow
        key={wanted.jobId}
        what={words.overview.wants(wanted.title, name)}
        why={words.overview.wantsBody(shortId(wanted.flowId))}
      >
        <a
          className="btn ghost"
          href={formatRoute({ name: 'job', jobId: wanted.jobId, parameters: '' })}
        >
          {words.overview.open}
        </a>
        {permission === null ? null : (
          <Button onClick={() => askToAllow(permission, wanted.title)} disabled={!connected}>
            {words.overview.allow}
          </Button>
        )}
      </FaultRow>
    );
  });
}

/** Null for an option that this page does not know; it is shown then, and cannot be given here. */
function toPermission(wanted: { flowId: string; option: string }): PermissionView | null {
  return permissionViewSchema.safeParse(wanted).data ?? null;
}

interface FaultRowProps {
  readonly what: string;
  readonly why: string;
  readonly children?: ReactNode;
}

function FaultRow({ what, why, children }: FaultRowProps): JSX.Element {
  return (
    <li>
      <span className="st st-attention">
        <Glyph name="attention" />
      </span>
      <div className="grow">
        <div className="what">{what}</div>
        <div className="why">{why}</div>
      </div>
      <div className="acts">{children}</div>
    </li>
  );
}
