/** All REST routes of the plane, in one list. */
import { accountRoutes } from './rest-account.ts';
import { executionRoutes } from './rest-executions.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { Route } from './rest-router.ts';
import { runnerRoutes } from './rest-runners.ts';

export function planeRoutes(parts: PlaneParts): readonly Route[] {
  return [...runnerRoutes(parts), ...executionRoutes(parts), ...accountRoutes(parts)];
}
