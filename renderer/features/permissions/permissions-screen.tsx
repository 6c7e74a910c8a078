/** Permissions: what the owner allowed to which flow, what flows still want; all of it can be taken back. */
import type { JSX, ReactNode } from 'react';
import type { OverviewView, PermissionView } from '../../../main/contract/views.ts';
import { permissionViewSchema } from '../../../main/contract/views.ts';
import { askToAllow, revoke } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { shortId } from '../../format.ts';
import { useTopic } from '../../host-client/use-topic.ts';
import { formatRoute } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import './permissions.css';

export function PermissionsScreen(): JSX.Element {
  const { view, problem } = useTopic('permissions', {});
  const wanting = useOverview()?.wantingPermission ?? [];
  const fault = problem?.message ?? view?.problem ?? null;
  return (
    <div className="page scrolls">
      <header>
        <h1 className="title">{words.permissions.title}</h1>
        <p className="sub">{words.permissions.about}</p>
      </header>
      {fault === null ? null : <Fault text={fault} />}
      {wanting.length === 0 ? null : <Wanted wanting={wanting} />}
      <Given allowed={view?.allowed} />
    </div>
  );
}

function Fault({ text }: { readonly text: string }): JSX.Element {
  return (
    <ul className="panel rows" role="alert">
      <li>
        <span className="st st-failed">
          <Glyph name="failed" />
        </span>
        <div className="grow">
          <div className="what">{words.permissions.problem}</div>
          <div className="why">{text}</div>
        </div>
      </li>
    </ul>
  );
}

function Wanted({ wanting }: { readonly wanting: OverviewView['wantingPermission'] }): JSX.Element {
  const connected = useConnected();
  return (
    <section aria-labelledby="wanted">
      <div className="sec-head">
        <h2 id="wanted">{words.permissions.wanting}</h2>
      </div>
      <ul className="panel rows">
        {wanting.map((wanted) => {
          const permission = permissionViewSchema.safeParse(wanted).data;
          return (
            <li key={`${wanted.flowId} ${wanted.option}`}>
              <span className="st st-attention">
                <Glyph name="attention" />
              </span>
              <div className="grow">
                <div className="what">
                  {permission === undefined ? wanted.option : words.option(permission.option).name}
                </div>
                <div className="why">
                  {words.permissions.flow(shortId(wanted.flowId))}
                  {' · '}
                  <a href={formatRoute({ name: 'job', jobId: wanted.jobId, parameters: '' })}>
                    {wanted.title}
                  </a>
                </div>
              </div>
              {permission === undefined ? null : (
                <Button onClick={() => askToAllow(permission, wanted.title)} disabled={!connected}>
                  {words.overview.allow}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Given({
  allowed,
}: {
  readonly allowed: readonly PermissionView[] | undefined;
}): ReactNode {
  if (allowed === undefined)
    return (
      <div className="panel permissions-wait" aria-busy="true" aria-label={words.bar.connecting} />
    );
  if (allowed.length === 0)
    return (
      <section className="empty">
        <h2>{words.permissions.emptyTitle}</h2>
        {words.permissions.emptyBody}
      </section>
    );
  const flows = Map.groupBy(allowed, ({ flowId }) => flowId);
  return [...flows].map(([flowId, permissions]) => (
    <Flow key={flowId} flowId={flowId} permissions={permissions} />
  ));
}

interface FlowProps {
  readonly flowId: string;
  readonly permissions: readonly PermissionView[];
}

function Flow({ flowId, permissions }: FlowProps): JSX.Element {
  const connected = useConnected();
  const flow = shortId(flowId);
  return (
    <section aria-label={words.permissions.flow(flow)}>
      <div className="sec-head">
        <h2>{words.permissions.flow(flow)}</h2>
        <span className="t3 mono trunc">{flowId}</span>
      </div>
      <ul className="panel rows">
        {permissions.map((permission) => {
          const option = words.option(permission.option);
          return (
            <li key={permission.option}>
              <span className="t2">
                <Icon name="shield" />
              </span>
              <div className="grow">
                <div className="what">{option.name}</div>
                <div className="why">{option.danger}</div>
              </div>
              <Button
                label={words.permissions.revokeLabel(option.name, flow)}
                onClick={() => revoke(permission)}
                disabled={!connected}
              >
                {words.permissions.revoke}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
