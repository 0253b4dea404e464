import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

/** Installation, upgrades and backups. */
export const UPKEEP_COMMANDS = {
  service: {
    group: 'setup',
    summary: 'start Signalbox with your machine: install, status or remove a service',
    arguments: [
      {
        name: 'action',
        description: 'install, status (default) or remove',
        optional: true,
        completes: ['install', 'status', 'remove'],
      },
    ],
    options: [{ flags: '--dry-run', description: 'with install: print the file and change nothing' }, JSON_OPTION],
    details:
      'A unit of systemd (Linux) or an agent of launchd (macOS), for your user only. Stopping or upgrading the service ' +
      'ends no agent. A restart of the machine does; signalbox resume --lost continues their conversations, and with ' +
      'sessions.resume_lost the daemon does that when it starts.',
    examples: [
      ['signalbox service install', 'write the file, enable and start it'],
      ['signalbox service', 'whether it is installed and runs'],
      ['signalbox service remove', 'stop it and remove the file'],
    ],
  },
  upgrade: {
    group: 'setup',
    summary: 'show whether npm has a newer version, what changed, and how to install it',
    options: [
      { flags: '--check', description: 'exit with 1 if there is a newer version, with 6 if npm cannot say' },
      { flags: '--from <package>', description: 'a package file or another npm name instead (default: signalbox)' },
      JSON_OPTION,
    ],
    details: 'Installs nothing. It also says whether the daemon that runs is older than this program.',
    examples: [['signalbox upgrade --check', 'the changes since this version']],
  },
  backup: {
    group: 'setup',
    summary: 'write a backup of everything into one file, while the daemon runs',
    arguments: [
      {
        name: 'file',
        description: 'the file (default: signalbox-<date>.tar.gz here)',
        optional: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--verify', description: 'check an existing backup instead' },
      { flags: '--replace', description: 'replace an older backup of this name' },
      JSON_OPTION,
    ],
    details:
      'The store as it was at one moment, recordings, blobs, uploads and settings, with a SHA-256 of each. It is read ' +
      'again before it gets its name; an existing file is replaced only with --replace, and only if it is a backup. It ' +
      'holds everything that was shown and typed: keep it as private as the home directory. The events of a PostgreSQL ' +
      'store are backed up with pg_dump.',
    examples: [
      ['signalbox backup /mnt/backup/monday.tar.gz', 'one file'],
      ['signalbox backup --replace /mnt/backup/monday.tar.gz', 'every Monday, by cron'],
      ['signalbox backup --verify monday.tar.gz', 'check every SHA-256 in it'],
    ],
  },
  restore: {
    group: 'setup',
    summary: 'restore a backup into a home directory without a store',
    arguments: [{ name: 'file', description: 'the backup', completes: 'file' }],
    options: [JSON_OPTION],
    details: 'Verifies the whole backup first, replaces nothing, and puts the store in place last.',
    examples: [['SIGNALBOX_HOME=~/restored signalbox restore monday.tar.gz', 'into another home directory']],
  },
} as const satisfies CommandSpecs
