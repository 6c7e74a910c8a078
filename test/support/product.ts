/**
 * The product as somebody has it who just started it: the built host as a process of its own, and its page in a real
 * Chromium. Owns both, and the containers of the jobs that were submitted here.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { HostClient } from '../../main/cli/host-client.ts';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { dataPaths } from '../../main/data-dir.ts';
import { LABEL } from '../../runner-core/docker/labels.ts';
import { startHostProcess, type HostProcess } from '../../scripts/host-process.ts';
import { launchBrowser, newPage, type WatchedPage } from './browser.ts';
import { docker, TEST_IMAGE } from './docker-bench.ts';

const PAGE_LINE = /^Page {5}(\S+)/;

export class Product {
  readonly dataDir: string;
  readonly #browser: Browser;
  readonly #jobs: string[] = [];
  #host: HostProcess;

  private constructor(dataDir: string, browser: Browser, host: HostProcess) {
    this.dataDir = dataDir;
    this.#browser = browser;
    this.#host = host;
  }

  /** Started as `npm start` does it, and online. */
  static async start(): Promise<Product> {
    const dataDir = await mkdtemp(join(tmpdir(), 'preloop-page-'));
    const [browser, host] = await Promise.all([launchBrowser(), startHostProcess({ dataDir })]);
    return new Product(dataDir, browser, host);
  }

  /** What the host printed at its start. */
  async printedAddress(): Promise<string> {
    const line = await this.#host.line(PAGE_LINE);
    return PAGE_LINE.exec(line)?.[1] ?? '';
  }

  /** Good once, as `preloop-host open` makes them. */
  async newAddress(): Promise<string> {
    const client = await HostClient.connect(this.dataDir);
    try {
      return (await client.request('page.address', {})).url;
    } finally {
      client.close();
    }
  }

  /** A tab with nothing in it. */
  newTab(): Promise<WatchedPage> {
    return newPage(this.#browser, { viewport: { width: 1440, height: 900 } });
  }

  plane(): Promise<PlaneClient> {
    return PlaneClient.of(dataPaths(this.dataDir).planeDir);
  }

  /** Hands a job to the plane; gives back its id. A name is a flow of its own. */
  async submit(name: string, script: string, more: Record<string, unknown> = {}): Promise<string> {
    const plane = await this.plane();
    const { id } = await plane.submit({
      name,
      agent_type: 'codex',
      image: TEST_IMAGE,
      script,
      ...more,
    });
    this.#jobs.push(id);
    return id;
  }

  /** As a power cut: nothing is closed or said. */
  async kill(): Promise<void> {
    const { child } = this.#host;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async startAgain(): Promise<void> {
    this.#host = await startHostProcess({ dataDir: this.dataDir });
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#host.stop();
    for (const id of this.#jobs) {
      const left = await docker('ps', '-aq', '--filter', `label=${LABEL.execution}=${id}`);
      if (left !== '') await docker('rm', '-fv', ...left.split('\n'));
    }
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
