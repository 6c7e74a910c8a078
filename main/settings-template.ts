/** What a new settings.yaml says: every field, commented out, with its default. */
export const SETTINGS_TEMPLATE = `# Settings of this runner host. Changes are read at the next job; no restart is needed.
# A mistake here is shown with its line, and the last good values stay in force.

# What one job may use.
limits:
  # Memory of the job's container, or none.
  # memory: 4 GiB
  # Processors, fractions allowed, or none.
  # cpus: 2
  # Processes and threads at once, or none.
  # pids: 1024
  # A job that runs longer is ended.
  # time_limit: 24h
  # Output kept of one job; what follows is counted and left out.
  # log: 1 GiB

# Jobs at once, 1 to 32. The service may give fewer.
# concurrency: 2

# What this runner's own folder may take without what local commands keep, and what it leaves free.
disk:
  # Logs of the oldest jobs are removed beyond it; what is pinned stays.
  # budget: 2 GiB
  # Older jobs are forgotten.
  # age: 30d
  # With less than this free on the disk, no job is taken.
  # free_floor: 1 GiB

# Folders of local commands (Cursor) in which something was left.
local_command_folders:
  # Older ones are removed.
  # age: 30d
  # The oldest are removed beyond it.
  # budget: 4 GiB

# The way to the service. What is not said here is taken from HTTPS_PROXY, ALL_PROXY and NO_PROXY.
network:
  # http or https, with user and password where the proxy asks for them; none: no proxy at all.
  # proxy: http://USER:PASSWORD@proxy.example:3128
  # Certificates that are trusted beside this system's, in PEM form.
  # ca_file: /etc/ssl/corp-inspection-ca.pem

# Keeps the stopped container of a failed job for so long, to be looked at; none: it goes at once.
# keep_failed: 2h

# The image of the test job that the page offers. It needs bash and python3.
# test_image: python:3-slim-bookworm

# What a flow's jobs may do outside their own container, by the flow's id.
#   docker_socket  start containers through this machine's Docker (this is root on this machine)
#   host_mount     mount folders of this machine
#   network        join a Docker network by name
# For example:
#   allow:
#     0e1f2a3b-4c5d-4e6f-8a7b-9c8d7e6f5a4b: [network, host_mount]
allow:
`;
