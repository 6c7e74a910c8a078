/** What every benchmark gives back. */

export interface BenchResult {
  /** The name it is run by. */
  readonly bench: string;
  /** What was measured; the unit is part of the name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The bar that `ratio` is held against; for the other bars of a benchmark, see its own file. */
  readonly limit: number;
  readonly ratio: number;
  /** Every bar was met. */
  readonly pass: boolean;
}
