/** A Docker job as the service leases it; each test changes what it is about. */
import type { JsonObject } from '../../runner-core/model/json.ts';

export const JOB_ID = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01';
export const SERVER_URL = 'https://control.example.test';

export function dockerJob(changes: JsonObject = {}): JsonObject {
  return {
    launch_version: 1,
    execution_id: JOB_ID,
    flow_id: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
    agent_type: 'codex',
    agent_config: { image: 'debian:bookworm' },
    model_identifier: 'gpt-5.4',
    model_provider: 'openai',
    account_api_token: 'rt_example_not_real',
    git_clone_config: null,
    custom_commands: null,
    launch: { version: 1, script: 'true\n', env: { OPENAI_API_KEY: 'gw_example_not_real' } },
    ...changes,
  };
}
