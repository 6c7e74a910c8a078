// @ts-check
/**
 * Loaded into a measured process with --import. Keeps its peak memory and event-loop delay since the last
 * mark; SIGUSR2 writes them as a JSON line to BENCH_PROBE_FILE and starts over.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env['BENCH_PROBE_FILE'];
if (file === undefined) throw new Error('BENCH_PROBE_FILE is not set');

const RESOLUTION_MS = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let peakRssBytes = process.memoryUsage.rss();
const sampling = setInterval(() => {
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
}, 50);
sampling.unref();

process.on('SIGUSR2', () => {
  const rssBytes = process.memoryUsage.rss();
  // The histogram holds the whole interval between two turns, the timer's own period included.
  const p99Ms = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  const maxMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  const cpu = process.cpuUsage();
  const cpuMs = (cpu.user + cpu.system) / 1000;
  appendFileSync(file, `${JSON.stringify({ rssBytes, peakRssBytes, p99Ms, maxMs, cpuMs })}\n`);
  peakRssBytes = rssBytes;
  delay.reset();
});
