import { MemoryJobStore } from '../support/memory-job-store.ts';
import { StoreBench } from '../support/store-bench.ts';
import { describeJobStore } from './job-store.contract.ts';

describeJobStore('SqliteJobStore', () => {
  const bench = new StoreBench();
  return { store: bench.store, reopened: () => bench.reopen() };
});

describeJobStore('MemoryJobStore', () => {
  const store = new MemoryJobStore();
  return { store, reopened: () => store };
});
