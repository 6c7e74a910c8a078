/** What every verb of the command is given. */
import type { Clock } from '../../runner-core/ports.ts';
import type { HostClient } from './host-client.ts';
import type { ExitCode } from './exit-codes.ts';

export interface CommandContext {
  readonly client: HostClient;
  /** What follows the verb. */
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly osName: NodeJS.Platform;
  /** One line of result. */
  readonly print: (line: string) => void;
  /** A person reads what is printed, in a terminal that knows colours. */
  readonly isTerminal: boolean;
}

export interface Flags {
  readonly json: boolean;
  readonly wait: boolean;
  readonly follow: boolean;
  readonly raw: boolean;
  readonly since: string | null;
  readonly grep: string | null;
  readonly state: string | null;
  readonly limit: string | null;
  readonly print: boolean;
  readonly remove: string | null;
  readonly for: string | null;
  readonly until: string | null;
  readonly note: string | null;
  readonly afterJobs: boolean;
  readonly onBattery: boolean;
  readonly finish: boolean;
  readonly stop: boolean;
  readonly leave: boolean;
  readonly server: string | null;
  readonly mute: string | null;
  readonly unmute: string | null;
  readonly prompt: string | null;
  readonly model: string | null;
  readonly replace: boolean;
  readonly all: boolean;
}

export type Verb = (context: CommandContext) => Promise<ExitCode>;
