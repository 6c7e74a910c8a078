/** Entry of the page: follows the host, then draws. */
import './zod-without-eval.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/screen.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { pageClient } from './host-client/page-client.ts';
import { followConnection } from './stores/connection-store.ts';
import { followHealth } from './stores/health-store.ts';
import { followOverview } from './stores/overview-store.ts';
import { followProfiles } from './stores/profile-store.ts';
import { followPreferences } from './stores/preferences-store.ts';

followPreferences(localStorage, document.documentElement);
followConnection(pageClient);
followOverview(pageClient);
followHealth(pageClient);
followProfiles(pageClient);
void pageClient.connect();
// A new address opened in a tab that is here already changes only the fragment.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) location.reload();
});

const place = document.getElementById('page');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
