import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import type { UserHooks } from './adapter.js'

/*
 * Signalbox's hooks in the settings file of an agent, which belongs to the person. Guarantees: only
 * entries of Signalbox are added or removed; removing them restores the exact bytes from before, if
 * the file has not changed otherwise; a file that cannot be parsed is not touched.
 */
const MARK = '# signalbox'

type Json = Record<string, unknown>

export interface HookChange {
  file: string
  before: string
  after: string
  /** How many events in the file have Signalbox's hook now, and how many should. */
  installed: number
  wanted: number
}

/** The command of one event. It does nothing in a session of Signalbox, which has its own hooks. */
function userHookLine(agent: string, event: string, relay: readonly string[]): string {
  const words = relay.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return `test -n "$SIGNALBOX_SESSION" || ${words} hook ${agent} ${event} ${MARK}`
}

/** The file as it is, and as it would be with or without Signalbox's hooks. Writes nothing. */
export function planHooks(
  agent: string,
  hooks: UserHooks,
  options: { env: NodeJS.ProcessEnv; relay: readonly string[]; action: 'install' | 'remove'; backupDirectory: string },
): HookChange {
  const { env, relay, action, backupDirectory } = options
  const file = hooks.file(env)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const settings = parse(before, file)
  const entries = hooks.entries(event => userHookLine(agent, event, relay))
  const cleaned = withoutOurs(settings, file)
  const installed = countOwnHooks(settings)
  const next = action === 'install' ? withOurs(cleaned, entries) : cleaned
  const backup = readBackup(backupDirectory, agent)
  // Nothing else has changed since the installation: restore the original bytes.
  const isRestored = action === 'remove' && backup !== null && sameJson(parseOrNull(backup), next)
  const isUnchanged = sameJson(next, settings)
  const after = isUnchanged
    ? before
    : isRestored
      ? backup!
      : Object.keys(next).length === 0 && before === ''
        ? ''
        : print(next, before)
  return { file, before, after, installed, wanted: Object.keys(entries).length }
}

/** Writes the planned change atomically; the file keeps its mode, and a link stays a link. */
export function applyHooks(
  change: HookChange,
  options: { agent: string; action: 'install' | 'remove'; backupDirectory: string },
): void {
  const { file, before, after } = change
  const current = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (current !== before)
    throw new SignalboxError('E_BUSY', `${file} has changed in the meantime; nothing was written`, {
      next: 'run the command again',
    })
  const backup = backupFile(options.backupDirectory, options.agent)
  mkdirSync(options.backupDirectory, { recursive: true, mode: 0o700 })
  if (options.action === 'install' && change.installed === 0) writeFileSync(backup, before, { mode: 0o600 })
  if (after === '' && existsSync(file)) rmSync(file)
  else if (after !== before) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const real = existsSync(file) ? realpathSync(file) : file
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
    const temporary = `${real}.signalbox-${process.pid}`
    writeFileSync(temporary, after, { mode })
    renameSync(temporary, real)
  }
  if (options.action === 'remove') rmSync(backup, { force: true })
}

/** The changed lines, with two lines of context on each side. */
export function changeLines(before: string, after: string): { sign: ' ' | '-' | '+'; text: string }[] {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  const now = after === '' ? [] : after.replace(/\n$/, '').split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const context = 2
  return [
    ...old.slice(Math.max(0, start - context), start).map(text => ({ sign: ' ' as const, text })),
    ...old.slice(start, old.length - end).map(text => ({ sign: '-' as const, text })),
    ...now.slice(start, now.length - end).map(text => ({ sign: '+' as const, text })),
    ...now.slice(now.length - end, now.length - end + context).map(text => ({ sign: ' ' as const, text })),
  ]
}

function parse(text: string, file: string): Json {
  if (text.trim() === '') return {}
  const value = parseOrNull(text)
  if (value === null)
    throw new SignalboxError('E_CONFIG', `${file} is not plain JSON; it was not changed`, {
      next: 'remove comments or correct it, then run the command again',
    })
  return value
}

function parseOrNull(text: string): Json | null {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function withoutOurs(settings: Json, file: string): Json {
  const { hooks } = settings
  if (hooks === undefined) return settings
  if (!isObject(hooks))
    throw new SignalboxError('E_CONFIG', `"hooks" in ${file} is not an object; the file was not changed`)
  const left = Object.entries(hooks).flatMap(([event, list]) => {
    if (!Array.isArray(list)) return [[event, list] as const]
    const others = list.filter(entry => !isOurs(entry))
    // A list with only Signalbox's entries is removed; a list that was empty before stays.
    return others.length === 0 && list.length > 0 ? [] : [[event, others] as const]
  })
  const { hooks: _all, ...rest } = settings
  return left.length === 0 && countOwnHooks(settings) > 0 ? rest : { ...settings, hooks: Object.fromEntries(left) }
}

function withOurs(settings: Json, entries: Readonly<Record<string, object>>): Json {
  const hooks: Json = { ...(isObject(settings.hooks) ? settings.hooks : {}) }
  for (const [event, entry] of Object.entries(entries)) {
    const list = hooks[event]
    hooks[event] = [...(Array.isArray(list) ? list : []), entry]
  }
  return { ...settings, hooks }
}

function countOwnHooks({ hooks }: Json): number {
  if (!isObject(hooks)) return 0
  return Object.values(hooks).filter(list => Array.isArray(list) && list.some(isOurs)).length
}

/** An entry is Signalbox's if all of its commands end with the mark. */
function isOurs(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry.hooks) || entry.hooks.length === 0) return false
  return entry.hooks.every(hook => isObject(hook) && typeof hook.command === 'string' && hook.command.endsWith(MARK))
}

/** Keeps the file's indentation and its last line break. */
function print(value: Json, like: string): string {
  const indent = /^\{\s*\n([ \t]+)/.exec(like)?.[1] ?? '  '
  return `${JSON.stringify(value, null, indent)}${like === '' || like.endsWith('\n') ? '\n' : ''}`
}

function backupFile(directory: string, agent: string): string {
  return join(directory, `${agent}.before`)
}

function readBackup(directory: string, agent: string): string | null {
  try {
    return readFileSync(backupFile(directory, agent), 'utf8')
  } catch {
    return null
  }
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
