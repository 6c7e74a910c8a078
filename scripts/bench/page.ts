/**
 * What the page costs in a real browser: when it can be used on a host with many jobs, how the long list scrolls,
 * and what a log that arrives fast does to its main thread and memory.
 */
import { readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { FIXTURES } from '../../test/fixtures/page/states.ts';
import { ROW_PX } from '../../renderer/features/jobs/row-window.ts';
import { projectDir } from '../setup/places.mjs';
import type { BenchResult } from './bench-result.ts';
import { fastJob, manyJobs, quietJob } from './page-fixtures.ts';
import { startPageHost, type PageHost, type ScriptedJob } from './page-host.ts';
import { chromiumPath } from '../setup/ensure-browser.ts';

const BARS = {
  interactive_ms: 1_000,
  initial_script_gzip_kb: 250,
  list_slow_frames_percent: 1,
  log_block_p99_ms: 50,
  log_heap_mb: 150,
} as const;
const BAR_NAMES = Object.keys(BARS) as (keyof typeof BARS)[];

const FIRST_JOBS = 10_000;
const LIST_JOBS = 100_000;
const LOG_LINES = 200_000;
const LINES_A_SECOND = 5_000;
const LOADS = 5;
const SCROLL_MS = 8_000;
const CONTROL_MS = 5_000;
const SLOW_FRAME_MS = 50;
const VIEWPORT = { width: 1_440, height: 900 };

/** @param pageDir the built page */
export async function run(pageDir = join(projectDir, 'out', 'page')): Promise<BenchResult> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
  });
  try {
    const scriptKb = await initialScriptKb(pageDir);
    const interactiveMs = await interactive(browser, pageDir);
    const list = await listScroll(browser, pageDir);
    const log = await fastLog(browser, pageDir);
    const measured = {
      interactive_ms: interactiveMs,
      initial_script_gzip_kb: scriptKb,
      list_slow_frames_percent: list.slowPercent,
      log_block_p99_ms: log.blockP99Ms,
      log_heap_mb: log.heapMb,
    };
    const ratios = BAR_NAMES.map((name) => measured[name] / BARS[name]);
    const ratio = Math.max(...ratios);
    const whole = log.lines === LOG_LINES;
    return {
      bench: 'page',
      metrics: {
        ...measured,
        list_frames: list.frames,
        list_longest_frame_ms: list.longestMs,
        list_long_tasks: list.longTasks,
        list_longest_task_ms: list.longestTaskMs,
        // The same wheel over ground without rows: what this browser on this machine misses by itself.
        control_frames: list.control.frames,
        control_slow_frames_percent: list.control.slowPercent,
        control_longest_frame_ms: list.control.longestMs,
        list_load_average: list.loadAverage,
        log_lines_taken: log.lines,
        log_arrived_in_s: log.seconds,
        log_longest_block_ms: log.longestMs,
        log_blocks_over_50_ms: log.longTasks,
        log_frames: log.frames,
        log_slow_frames_percent: log.slowFramesPercent,
        log_behind_at_end_ms: log.behindMs,
        log_main_thread_cpu_percent: log.cpuPercent,
        // The same timer in an empty page: what this browser on this machine is late by itself.
        control_block_p99_ms: log.controlP99Ms,
        log_load_average: log.loadAverage,
        processors: cpus().length,
      },
      limit: BARS,
      ratio,
      pass: ratio <= 1 && whole,
    };
  } finally {
    await browser.close();
  }
}

/** What index.html loads before anything is drawn, as it would be sent. */
async function initialScriptKb(pageDir: string): Promise<number> {
  const html = await readFile(join(pageDir, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map((match) => match[1] ?? '');
  if (named.length === 0) throw new Error(`${pageDir} has no page; build it first.`);
  let bytes = 0;
  for (const name of named) bytes += gzipSync(await readFile(join(pageDir, name))).length;
  return bytes / 1_000;
}

/**
 * From opening the page, signed in, on the list to rows that are drawn and a key that is answered; scripts come
 * from the host anew each time. The median of several.
 */
async function interactive(browser: Browser, pageDir: string): Promise<number> {
  const host = await open(pageDir, FIRST_JOBS, quietJob());
  const times: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    const page = await signedIn(browser, host, '#/jobs');
    const startedMs = performance.now();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForSelector('[role="grid"] [role="row"]:nth-child(5)');
    await page.keyboard.press('/');
    await until(page, `document.activeElement?.tagName === 'INPUT'`);
    times.push(performance.now() - startedMs);
    await page.close();
  }
  await host.stop();
  return times.sort((a, b) => a - b)[Math.floor(LOADS / 2)] ?? Infinity;
}

interface Frames {
  readonly frames: number;
  readonly slowPercent: number;
  readonly longestMs: number;
  readonly longTasks: number;
  readonly longestTaskMs: number;
}

interface ListMeasure extends Frames {
  readonly control: Frames;
  /** Of the last minute, when both were measured. */
  readonly loadAverage: number;
}

/** A list of a hundred thousand, and as much ground without a row. */
async function listScroll(browser: Browser, pageDir: string): Promise<ListMeasure> {
  const ground = await browser.newPage({ viewport: VIEWPORT });
  await ground.setContent(
    `<div style="height: 800px; overflow: auto"><div style="height: ${LIST_JOBS * ROW_PX}px"></div></div>`,
  );
  const control = await scrolled(ground);
  await ground.close();
  const host = await open(pageDir, LIST_JOBS, quietJob());
  const page = await signedIn(browser, host, '#/jobs');
  await page.waitForSelector('[role="grid"] [role="row"]:nth-child(5)');
  const list = await scrolled(page);
  await page.close();
  await host.stop();
  return { ...list, control, loadAverage: loadavg()[0] ?? 0 };
}

/** A wheel that does not rest, up and down what lies in the middle of the page. */
async function scrolled(page: Page): Promise<Frames> {
  await page.mouse.move(VIEWPORT.width / 2, VIEWPORT.height / 2);
  await watchFrames(page);
  const untilMs = performance.now() + SCROLL_MS;
  for (let turn = 0; performance.now() < untilMs; turn++) {
    // Mostly steady, now and then a throw.
    const px = (turn % 20 === 19 ? 20_000 : 400) * (turn % 200 < 150 ? 1 : -1);
    await page.mouse.wheel(0, px);
    await page.waitForTimeout(16);
  }
  const gaps = await frameGaps(page);
  const tasks = await page.evaluate<number[]>('window.measured.longTasks');
  return {
    frames: gaps.length,
    slowPercent:
      (gaps.filter((gap) => gap > SLOW_FRAME_MS).length / Math.max(1, gaps.length)) * 100,
    longestMs: Math.max(...gaps),
    longTasks: tasks.length,
    longestTaskMs: Math.max(0, ...tasks),
  };
}

interface LogMeasure {
  readonly blockP99Ms: number;
  readonly longestMs: number;
  readonly longTasks: number;
  readonly frames: number;
  readonly slowFramesPercent: number;
  readonly heapMb: number;
  readonly lines: number;
  readonly seconds: number;
  readonly behindMs: number;
  /** Of one processor, without what other programs took from it. */
  readonly cpuPercent: number;
  readonly controlP99Ms: number;
  /** Of the last minute, when the log had arrived. */
  readonly loadAverage: number;
}

/** The whole log arrives while it is open and followed. */
async function fastLog(browser: Browser, pageDir: string): Promise<LogMeasure> {
  const controlP99Ms = await emptyPageP99Ms(browser);
  const job = fastJob(LOG_LINES, LINES_A_SECOND);
  const host = await open(pageDir, FIRST_JOBS, job);
  const page = await signedIn(browser, host, `#/jobs/${job.view().jobId}`);
  await page.waitForSelector('.lines');
  await watchFrames(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpuBeforeS = await mainThreadS(devtools);
  const startedMs = performance.now();
  job.begin();
  let heapMb = 0;
  while (!job.over()) {
    await page.waitForTimeout(2_000);
    heapMb = Math.max(heapMb, await heapInUseMb(devtools));
  }
  const endedMs = performance.now();
  const last = LOG_LINES.toLocaleString('en-US');
  await until(page, `document.querySelector('.logfoot')?.textContent.includes('${last}')`);
  await until(
    page,
    `[...document.querySelectorAll('.l .no')].some((cell) => cell.textContent === '${LOG_LINES}')`,
  );
  const behindMs = performance.now() - endedMs;
  const cpuS = (await mainThreadS(devtools)) - cpuBeforeS;
  const gaps = await frameGaps(page);
  const tasks = await page.evaluate<number[]>('window.measured.longTasks');
  const blocked = await lateness(page);
  heapMb = Math.max(heapMb, await heapInUseMb(devtools));
  await page.close();
  await host.stop();
  return {
    blockP99Ms: p99(blocked),
    longestMs: Math.max(blocked.at(-1) ?? 0, ...tasks),
    longTasks: tasks.length,
    frames: gaps.length,
    slowFramesPercent: (gaps.filter((gap) => gap > SLOW_FRAME_MS).length / gaps.length) * 100,
    heapMb,
    lines: LOG_LINES,
    seconds: (endedMs - startedMs) / 1_000,
    behindMs,
    cpuPercent: (cpuS / ((endedMs + behindMs - startedMs) / 1_000)) * 100,
    controlP99Ms,
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** How late a timer is in a page that does nothing. */
async function emptyPageP99Ms(browser: Browser): Promise<number> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await watchFrames(page);
  await page.waitForTimeout(CONTROL_MS);
  const late = await lateness(page);
  await page.close();
  return p99(late);
}

/** How long each tick of the timer was kept waiting, in rising order. */
function lateness(page: Page): Promise<number[]> {
  return page.evaluate<number[]>('window.measured.late.sort((a, b) => a - b)');
}

function p99(rising: readonly number[]): number {
  return rising[Math.floor(rising.length * 0.99)] ?? Infinity;
}

/** Processor time of the page's main thread so far. */
async function mainThreadS(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

async function heapInUseMb(devtools: CDPSession): Promise<number> {
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}

async function open(pageDir: string, jobs: number, job: ScriptedJob): Promise<PageHost> {
  const overview = { ...FIXTURES.typical(Date.now()).overview, jobsInAll: jobs };
  return startPageHost({ pageDir, overview: () => overview, jobs, rowAt: manyJobs(), job });
}

async function signedIn(browser: Browser, host: PageHost, hash: string): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto(`${host.address}#code=measure`);
  // Signing in takes the code out of the address.
  await until(page, `location.hash === '#/'`);
  await page.evaluate(`location.hash = '${hash}'`);
  return page;
}

/** Playwright's own waiting makes functions out of strings, which the page's policy forbids. */
async function until(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate<boolean>(`Boolean(${condition})`))) await page.waitForTimeout(10);
}

/**
 * Notes the time between drawn frames, tasks that the browser itself calls long, and how long the main thread kept a
 * timer waiting that was due: what a click would have waited. Frames alone would count the drawing of a machine
 * without a graphics card. Runs in the page.
 */
const WATCH_FRAMES = `
  window.measured = { gaps: [], longTasks: [], late: [] };
  let due = performance.now() + 10;
  setTimeout(function tick() {
    window.measured.late.push(Math.max(0, performance.now() - due));
    due = performance.now() + 10;
    setTimeout(tick, 10);
  }, 10);
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    window.measured.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.measured.longTasks.push(entry.duration);
  }).observe({ entryTypes: ['longtask'] });
`;

async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(WATCH_FRAMES);
}

/** Without the first, which began before anything was watched. */
function frameGaps(page: Page): Promise<number[]> {
  return page.evaluate<number[]>('window.measured.gaps.slice(1)');
}
