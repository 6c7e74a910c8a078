/**
 * Docker launch v1: the environment a job's container gets, and the static text that runs in it.
 * Limits and refusals are in `job-payload.ts`.
 */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { DockerLaunchSpec } from '../model/job-spec.ts';
import { compactJson } from './json-measure.ts';
import { RESULT_LIMIT_BYTES } from './result-envelope.ts';

/** Starts the one line that carries a job's result; the blank belongs to it. */
export const RESULT_PREFIX = 'PRELOOP_RUNNER_RESULT_V1 ';
/**
 * What the bootstrap prints, with a line break, before that line: it ends a last line of the script that has
 * no line break of its own. The reader takes it away again, and the whole line where it is all there is.
 * One byte (ASCII record separator), so that the engine cannot cut it in two.
 */
export const LINE_END_MARK = '\x1e';

const FIELD_OF_VARIABLE: readonly (readonly [string, string])[] = [
  ['EXECUTION_ID', 'execution_id'],
  ['FLOW_ID', 'flow_id'],
  ['AGENT_PROMPT', 'prompt'],
  ['AI_MODEL', 'model_identifier'],
  ['AI_MODEL_PROVIDER', 'model_provider'],
  ['PRELOOP_API_TOKEN', 'account_api_token'],
];
const JSON_VARIABLES: readonly (readonly [string, string])[] = [
  ['GIT_CLONE_CONFIG', 'git_clone_config'],
  ['CUSTOM_COMMANDS', 'custom_commands'],
];

/**
 * The complete environment of a job's container; secret. Later entries override earlier ones: the
 * job's fields, our own, `launch.env`, the script, and last the address of the tools' endpoint, which
 * the service can only guess.
 *
 * @param job a Docker job that `parseJob` accepted; strings missing in it are left out
 * @param serverUrl the service as this host reaches it
 */
export function containerEnvironment(
  job: JsonObject,
  serverUrl: string,
): Readonly<Record<string, string>> {
  const url = serverUrl.trim().replace(/\/+$/, '');
  const environment: Record<string, string> = {};
  for (const [variable, field] of FIELD_OF_VARIABLE) {
    const value = job[field];
    if (typeof value === 'string' && value !== '') environment[variable] = value;
  }
  environment['PRELOOP_URL'] = url;
  environment['COMPOSE_PROJECT_NAME'] = composeProjectName(environment['EXECUTION_ID'] ?? '');
  for (const [variable, field] of JSON_VARIABLES) {
    const value = job[field] ?? null;
    if (value !== null) environment[variable] = compactJson(value);
  }
  const config = isJsonObject(job['agent_config']) ? sanitiseAgentConfig(job['agent_config']) : {};
  if (Object.keys(config).length > 0) environment['AGENT_CONFIG'] = compactJson(config);
  const launch = isJsonObject(job['launch']) ? job['launch'] : {};
  for (const [variable, value] of Object.entries(launch['env'] ?? {}))
    if (typeof value === 'string') environment[variable] = value;
  if (typeof launch['script'] === 'string') environment['PRELOOP_RUNNER_SCRIPT'] = launch['script'];
  environment['PRELOOP_MCP_URL'] = `${url}/mcp/v1`;
  return environment;
}

/** The compose project of a job, also after a restart: `preloop-` and the id's digits. */
export function composeProjectName(jobId: string): string {
  return `preloop-${jobId.trim().toLowerCase().replaceAll('-', '') || 'unknown'}`;
}

const SECRET_NAMES: readonly string[] = [
  'api_key',
  'apikey',
  'api_token',
  'access_token',
  'secret',
  'password',
  'token',
];
const SECRET_ENDINGS: readonly string[] = ['_api_key', '_access_token', '_password', '_secret'];
/** Words that make a name secret-looking when its value could be a secret. */
const SECRET_WORDS =
  /(?:^|_)(?:tokens?|secrets?|passwords?|passwd|passphrase|credentials?|authorization|(?:api|access|private|signing|encryption)_?keys?)(?:_|$)|(?:token|secret|password|apikey)$/;

/**
 * A copy of `agent_config` without secret-looking keys, for the container's AGENT_CONFIG and for the
 * store. The reference runner drops a short list of names within nested objects; we also walk lists,
 * and drop every name with a secret's word in it (`github_token`, `clientSecret`), unless the value is
 * a number or a boolean (`max_tokens` is a setting). `git_clone_config` and `custom_commands` are not
 * touched: a launch script may need what they carry, and they are never stored.
 */
export function sanitiseAgentConfig(config: JsonObject): JsonObject {
  const kept = Object.entries(config).filter(([key, value]) => !looksSecret(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, sanitised(value)]));
}

function sanitised(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sanitised);
  return isJsonObject(value) ? sanitiseAgentConfig(value) : value;
}

function looksSecret(key: string, value: Json): boolean {
  const name = key.toLowerCase();
  if (SECRET_NAMES.includes(name) || SECRET_ENDINGS.some((ending) => name.endsWith(ending)))
    return true;
  if (typeof value === 'number' || typeof value === 'boolean') return false;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return SECRET_WORDS.test(words);
}

/** How the container is started: Bash with the bootstrap, or the image's own entrypoint with it. */
export function entrypointFor(spec: DockerLaunchSpec): {
  readonly entrypoint: readonly string[] | null;
  readonly cmd: readonly string[];
} {
  return {
    entrypoint: spec.options.preserveEntrypoint ? null : ['/bin/bash'],
    cmd: ['-c', BOOTSTRAP],
  };
}

/**
 * What every job's container runs; it carries no job data. It needs Bash, python3, mkdir and rm.
 *
 * The script is fed to a Bash of its own process group, so that a stop (TERM to the container's first
 * process) reaches the agent as well instead of being ignored, and the agent is waited for; the engine's KILL
 * bounds that. Meanwhile this Bash itself is silent: of a script that has ended already it would print a
 * notice of its own, with the script's command. Then evidence is sent and the result exported. The exporter runs isolated (`-I`), because a file like `json.py` in the work folder would
 * otherwise stand in for Python's own. It starts with LINE_END_MARK and a line break: what the script printed
 * last may have none, and the envelope must start a line. Non-ASCII text stays as it is, so that a result does
 * not outgrow the envelope by being escaped.
 */
export const BOOTSTRAP = `set -u
mkdir -p /workspace || exit 1
cd /workspace || exit 1
rm -f -- /workspace/result.json || exit 1
exec 3>&2 2>/dev/null
set -m
harness=
stopped=
interrupted=
trap 'stopped=1; interrupted=1; [ -z "$harness" ] || kill -TERM -- "-$harness" 2>/dev/null' TERM
bash < <(printf '%s\\n' "$PRELOOP_RUNNER_SCRIPT") 2>&3 3>&- &
harness=$!
set +m
exec 2>&3 3>&-
[ -z "$stopped" ] || kill -TERM -- "-$harness" 2>/dev/null
while :; do
  interrupted=
  wait "$harness" 2>/dev/null
  PRELOOP_HARNESS_EXIT=$?
  [ -n "$interrupted" ] || break
done
while [ -n "$stopped" ] && kill -0 -- "-$harness" 2>/dev/null; do
  read -r -t 0.1 <> <(:)
done
export PRELOOP_HARNESS_EXIT
PRELOOP_EVIDENCE_UPLOAD=
if [ -n "\${PRELOOP_EVIDENCE_PUT_TOKEN:-}" ]; then
  PRELOOP_EVIDENCE_UPLOAD=failed
  if [ -f /tmp/preloop-checkpoint-client.py ]; then
    python3 /tmp/preloop-checkpoint-client.py evidence
    case $? in
      0) PRELOOP_EVIDENCE_UPLOAD=uploaded ;;
      2) PRELOOP_EVIDENCE_UPLOAD=absent ;;
    esac
  fi
fi
export PRELOOP_EVIDENCE_UPLOAD
python3 -I -c '
import base64, json, os, stat, sys

LIMIT = ${RESULT_LIMIT_BYTES}
PATH = "/workspace/result.json"


def refuse(word):
    raise ValueError(word)


def read_result():
    try:
        seen = os.lstat(PATH)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > LIMIT:
            return None
        with open(os.open(PATH, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source:
            text = source.read(LIMIT + 1)
        if len(text) > LIMIT:
            return None
        value = json.loads(text, parse_constant=refuse)
        json.dumps(value, allow_nan=False)
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value else None


envelope = {"exit_code": int(os.environ["PRELOOP_HARNESS_EXIT"])}
result = read_result()
if result is not None:
    envelope["result"] = result
evidence = os.environ.get("PRELOOP_EVIDENCE_UPLOAD", "")
if evidence in ("uploaded", "failed", "absent"):
    envelope["evidence_upload"] = evidence
text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
data = base64.b64encode(text.encode("utf-8", "backslashreplace")).decode("ascii")
sys.stdout.write("${LINE_END_MARK}\\n${RESULT_PREFIX}" + data + "\\n")
if result is None:
    sys.stdout.write("No usable result: /workspace/result.json must be a JSON object, not empty, of at most 256 KiB.\\n")
sys.stdout.flush()
sys.exit(1 if result is None else 0)
'
exported=$?
[ "$PRELOOP_HARNESS_EXIT" -eq 0 ] || exit "$PRELOOP_HARNESS_EXIT"
exit "$exported"
`;
