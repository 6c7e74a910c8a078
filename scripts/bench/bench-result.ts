/** What every benchmark is given and gives back. */

/** Other sizes than its own, for a short try. Not every benchmark has each. */
export interface BenchOptions {
  readonly seconds?: number | undefined;
  readonly jobs?: number | undefined;
  /** Of each job. */
  readonly lines?: number | undefined;
}

export interface BenchResult {
  /** The name it is run by. */
  readonly bench: string;
  /** What was measured; the unit is part of the name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The bar that `ratio` is held against, or every bar by its name where there are several. */
  readonly limit: number | Readonly<Record<string, number>>;
  /** The measured thing over what it is compared with. */
  readonly ratio: number;
  /** Every bar was met. */
  readonly pass: boolean;
}
