/** A launch as the service sent it. In memory alone. */
import type { DockerLaunchSpec, HostExecSpec } from '../model/job-spec.ts';

export type Offer = DockerOffer | HostOffer;

export interface DockerOffer {
  readonly spec: DockerLaunchSpec;
  readonly environment: Readonly<Record<string, string>>;
}

export interface HostOffer {
  readonly spec: HostExecSpec;
  readonly prompt: string;
}
