/** Which screen is shown: first whether this page may show any, then what the address says. */
import type { JSX } from 'react';
import { HealthScreen } from './features/health/health-screen.tsx';
import { JobScreen } from './features/job/job-screen.tsx';
import { JobsScreen } from './features/jobs/jobs-screen.tsx';
import { OverviewScreen } from './features/overview/overview-screen.tsx';
import { PermissionsScreen } from './features/permissions/permissions-screen.tsx';
import { ProfilesScreen } from './features/profiles/profiles-screen.tsx';
import { Shell } from './features/shell/shell.tsx';
import { SignedOutScreen, UnknownScreen, WrongVersionScreen } from './features/shell/alone.tsx';
import { useRoute, type Route } from './router.ts';
import { useConnectionStore } from './stores/connection-store.ts';

export function App(): JSX.Element {
  const connection = useConnectionStore((store) => store.connection);
  const route = useRoute();
  if (connection.kind === 'signed_out') return <SignedOutScreen why={connection.why} />;
  if (connection.kind === 'wrong_version')
    return <WrongVersionScreen page={connection.page} host={connection.host} />;
  return (
    <Shell route={route}>
      <Screen route={route} />
    </Shell>
  );
}

function Screen({ route }: { readonly route: Route }): JSX.Element {
  switch (route.name) {
    case 'overview':
      return <OverviewScreen />;
    case 'jobs':
      return <JobsScreen route={route} />;
    case 'job':
      return <JobScreen key={route.jobId} jobId={route.jobId} />;
    case 'permissions':
      return <PermissionsScreen />;
    case 'health':
      return <HealthScreen />;
    case 'profiles':
      return <ProfilesScreen parameters={route.parameters} />;
    case 'unknown':
      return <UnknownScreen address={route.address} />;
  }
}
