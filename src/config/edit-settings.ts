import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import { loadConfig } from './load.js'
import { isNarrowEnough } from './narrow.js'
import { findSetting } from './schema.js'

export type SettingValue = string | number | boolean | null | readonly string[]

/**
 * The settings that can be changed from the dashboard: notifications, timing, limits, budgets.
 * Settings about what runs, who decides, where the server listens and what leaves the machine can
 * only be changed at the terminal, except for those that the dashboard may tighten.
 */
const EDITABLE = [
  /^notify\.(?!command$)/,
  /^(reading|attach|files|queue)\./,
  /^terminal\.(size|scrollback|screen_reader)$/,
  /^panes\.(?!sources$|tmux_socket$)/,
  /^approvals\.(grant_for|grant_uses|expire_after)$/,
  /^runs\.(day_usd|max_concurrent)$/,
  /^sessions\./,
  /^telegram\.(announce|stream|topics)$/,
]

/** Stricter from the dashboard, looser only at the terminal. */
const TIGHTEN_ONLY = [/^approvals\.(step_up|decide_from)$/, /^sandbox\.(use|network)$/, /^telegram\.group_detail$/]

/** What the dashboard may do with a setting. */
type Editing = 'free' | 'tighten' | 'terminal'

export function editingOf(key: string): Editing {
  if (EDITABLE.some(pattern => pattern.test(key))) return 'free'
  return TIGHTEN_ONLY.some(pattern => pattern.test(key)) ? 'tighten' : 'terminal'
}

/** Free settings with a far reach: how far approvals go, and what leaves the machine. */
const NEEDS_STEP_UP = [/^approvals\./, /^notify\.webhooks$/]

/** Whether a browser of this machine may change it without a second confirmation. */
export function needsNoStepUp(key: string): boolean {
  return editingOf(key) === 'free' && !NEEDS_STEP_UP.some(pattern => pattern.test(key))
}

/**
 * Settings that a running daemon applies when the file changes; it reads the others only at its
 * start.
 */
const APPLIED_AT_ONCE = [
  /^notify\.(needs_you|done|failed|stuck_s|channels|quiet|grace_s|next_s|all_s|remind_s|done_delay_s|pane_gap_s|dedupe_s)$/,
  /^runs\.day_usd$/,
  /^sessions\.(max_cost|max_tokens|resume_lost)$/,
]

export function appliesAtOnce(key: string): boolean {
  return APPLIED_AT_ONCE.some(pattern => pattern.test(key))
}

/** Identifies the content of a settings file, so that an edit of an outdated copy is refused. */
export function settingsVersion(file: string): string {
  return createHash('sha256')
    .update(existsSync(file) ? readFileSync(file) : '')
    .digest('hex')
    .slice(0, 16)
}

export interface EditOptions {
  /** The version that was shown to the person; null skips the comparison. */
  version: string | null
  /** A person at this machine asked for it: every setting may be changed. */
  isAtTerminal?: boolean
}

/**
 * Changes settings in a person's settings file, line by line, so that its comments stay. The result
 * is parsed before the file is replaced; if any other setting would change, nothing is written.
 * @throws SignalboxError `E_ROLE`, `E_VERSION`, `E_CONFIG`
 */
export function editSettings(
  file: string,
  changes: Readonly<Record<string, SettingValue>>,
  { version, isAtTerminal = false }: EditOptions,
): void {
  const tightened = isAtTerminal ? [] : tightenedIn(file, Object.keys(changes))
  if (version !== null && version !== settingsVersion(file))
    throw new SignalboxError('E_VERSION', 'the settings have changed since you loaded them', { next: 'reload them' })
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = Object.entries(changes).reduce((text, [key, value]) => withValue(text, key, value), before)
  const temporary = `${file}.${process.pid}.new`
  writeFileSync(temporary, after, { mode: 0o600, flag: 'wx' })
  try {
    check(file, temporary, { changes, tightened })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Those that may only become stricter. */
function tightenedIn(file: string, keys: readonly string[]): string[] {
  const denied = keys.find(key => editingOf(key) === 'terminal')
  if (denied !== undefined)
    throw new SignalboxError('E_ROLE', `"${denied}" cannot be changed from the dashboard`, {
      next: `edit ${file} on this machine`,
    })
  return keys.filter(key => editingOf(key) === 'tighten')
}

function check(
  file: string,
  temporary: string,
  { changes, tightened }: { changes: Readonly<Record<string, SettingValue>>; tightened: readonly string[] },
): void {
  const read = (path: string) =>
    new Map(
      loadConfig({ environment: {}, userFile: path })
        .entries()
        .map(entry => [entry.key, entry]),
    )
  const before = read(file)
  const after = withoutPosition(temporary, () => read(temporary))
  for (const [key, { shown }] of after) {
    if (Object.hasOwn(changes, key) || before.get(key)?.shown === shown) continue
    throw new SignalboxError('E_CONFIG', `the edit would also change "${key}"`, { next: `edit ${file} by hand` })
  }
  for (const key of tightened) {
    const { setting } = findSetting(key.split('.'))!
    if (isNarrowEnough(setting, before.get(key)?.value, after.get(key)?.value)) continue
    throw new SignalboxError('E_ROLE', `"${key}" can be made stricter from the dashboard, not looser`, {
      next: `signalbox config set ${key} … in a terminal of this machine`,
    })
  }
}

/** Problems of a value that was given apart have no position in a file. */
function withoutPosition<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code, message } = toSignalboxError(error)
    const [start = '', ...parts] = message.split(file)
    throw new SignalboxError(code, start + parts.map(part => part.replace(/^:\d+:\d+: /, '')).join(''), {
      next: 'Nothing was changed. docs/reference/config.md lists every key.',
    })
  }
}

function withValue(text: string, key: string, value: SettingValue): string {
  const at = key.lastIndexOf('.')
  const [section, name] = [key.slice(0, at), key.slice(at + 1)]
  const lines = text.split('\n')
  const header = lines.findIndex(line => line.trim().replace(/\s*#.*$/, '') === `[${section}]`)
  const line = value === null ? null : `${name} = ${JSON.stringify(value)}`
  if (header < 0) return line === null ? text : `${text.trimEnd()}${text === '' ? '' : '\n\n'}[${section}]\n${line}\n`
  const rest = lines.slice(header + 1).findIndex(other => other.trim().startsWith('['))
  const end = rest < 0 ? lines.length : header + 1 + rest
  const found = lines.findIndex(
    (other, index) => index > header && index < end && new RegExp(`^\\s*${name}\\s*=`).test(other),
  )
  if (found >= 0) lines.splice(found, 1, ...(line === null ? [] : [line]))
  else if (line !== null) lines.splice(header + 1, 0, line)
  return lines.join('\n')
}
