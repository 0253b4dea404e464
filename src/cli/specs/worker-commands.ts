import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

/** Machines that perform runs for a server. */
export const WORKER_COMMANDS = {
  engine: {
    group: 'setup',
    summary: 'the engine of runs: install Restate, show the state, or check every run again',
    arguments: [
      {
        name: 'action',
        description: 'install, status or rebuild (default: status)',
        optional: true,
        completes: ['install', 'status', 'rebuild'],
      },
      { name: 'run', description: 'with rebuild: only this run', optional: true },
    ],
    options: [JSON_OPTION],
    details:
      'install downloads Restate from npm, once for all homes of the user. It is licensed under the BSL 1.1; its ' +
      'grant covers the use by Signalbox. The engine holds no data that must be kept: its directory may be deleted.',
    examples: [
      ['signalbox engine install', 'once per machine, before signalbox serve --engine restate'],
      ['signalbox engine status', 'exit code 1 if Restate does not answer'],
    ],
  },
  worker: {
    group: 'setup',
    summary: 'run the sessions and steps of a server on this machine',
    arguments: [
      { name: 'action', description: 'join: once, with a link of the server', optional: true, completes: ['join'] },
      { name: 'link', description: 'with join: the link that signalbox workers invite printed', optional: true },
    ],
    options: [
      { flags: '--name <name>', description: 'with join: the name of this worker (default: the host name)' },
      { flags: '--yes', description: 'with join: trust the server without asking' },
      { flags: '--max-sessions <n>', description: 'sessions at the same time (default: worker.max_sessions)' },
      { flags: '--max-steps <n>', description: 'steps at the same time (default: worker.max_steps)' },
      { flags: '--drain', description: 'take nothing new, and end when nothing is left' },
      JSON_OPTION,
    ],
    details:
      'A worker connects to its server, runs the steps and sessions that the server assigns to it, and reports. It has no access to ' +
      'the store and decides nothing. If it is killed, its next start reports what it had started. If the server is away, ' +
      'steps continue and their ends are reported later. join shows the fingerprint of the server and asks before it ' +
      'trusts it; without a terminal it joins only a server whose fingerprint is in the link, or with --yes.',
    examples: [
      ['signalbox worker join "https://build.example:4100/#…"', 'once, with the link of the owner'],
      ['signalbox worker', 'until it is stopped'],
      [
        'signalbox worker --drain',
        'before maintenance; signalbox workers ready <name> on the server ends the draining',
      ],
    ],
  },
  workers: {
    group: 'setup',
    summary: 'list the workers of this server; invite, drain, declare lost or remove one',
    arguments: [
      {
        name: 'action',
        description: 'invite, show, drain, ready, lost or remove',
        optional: true,
        completes: ['invite', 'show', 'drain', 'ready', 'lost', 'remove'],
      },
      { name: 'worker', description: 'its name or id', optional: true },
    ],
    options: [
      { flags: '--pool <name>', description: 'with invite: the pool of the worker (default: default)' },
      { flags: '--label <key=value>', description: 'with invite: a label of the worker; repeatable', repeatable: true },
      { flags: '--move', description: 'with drain: its runs move to other workers now' },
      { flags: '--valid <time>', description: 'with invite: how long the link works (default: 15m; at most 24h)' },
      JSON_OPTION,
    ],
    details:
      'drain: the worker keeps its runs and gets no further ones; ready ends that. lost: its runs move to other workers ' +
      'at once, and what it did since its last report may be done again; a run with files that were not saved asks first.',
    examples: [
      ['signalbox workers', 'state, load and runs of each'],
      ['signalbox workers invite --pool build --label gpu=yes', 'a link for one machine'],
      ['signalbox workers drain w3', 'before an upgrade of its machine'],
      ['signalbox workers lost w3', 'its machine will not come back'],
    ],
  },
} as const satisfies CommandSpecs
