// @ts-check
/** Loaded into a measured process with --import. SIGUSR1 sets its wall clock an hour on, as after a sleep. */
const HOUR_MS = 3_600_000;
const truly = Date.now.bind(Date);
let aheadMs = 0;
Date.now = () => truly() + aheadMs;
process.on('SIGUSR1', () => void (aheadMs += HOUR_MS));
