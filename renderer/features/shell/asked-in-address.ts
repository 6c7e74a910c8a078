/** A question that the address asks for, as the tray does where a native menu cannot: `#/?ask=pause`. */
import { useEffect } from 'react';
import { openDialog } from '../../stores/dialog-store.ts';

const ASKS_TO_PAUSE = '#/?ask=pause';

export function useAskedInAddress(): void {
  useEffect(() => {
    const look = (): void => {
      if (location.hash !== ASKS_TO_PAUSE) return;
      // Cleaned, so that Back and a second wish both work.
      history.replaceState(null, '', '#/');
      openDialog({ kind: 'pause' });
    };
    look();
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
}
