import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { type Directories, ensureDirectories, type LoadedConfig, resolveDirectories } from '../../config/index.js'
import { toSignalboxError } from '../../errors/index.js'
import { findExecutable } from '../../process/index.js'
import type { Health } from '../../server/index.js'
import { openStore, quarantine } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type Home, openHome } from '../home.js'
import { type AgentFinding, examineAgents } from './agents.js'
import { checkLedger } from './ledger-check.js'
import { checkWorktrees } from './worktrees.js'

export interface Finding {
  check: string
  level: 'ok' | 'note' | 'warning' | 'error'
  message: string
  next?: string
  /** For an agent: what is known of it. */
  agent?: AgentFinding
}

/** Looks at everything Signalbox stands on. With `fix`, repairs what can be repaired without losing anything. */
export async function examine(context: CommandContext, options: { fix: boolean }): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'node', level: 'ok', message: process.version }]
  const directories = checkDirectories(context, findings)
  if (!directories) return findings
  let loaded: LoadedConfig | null = null
  let home: Home | null = null
  try {
    home = openHome(context)
    loaded = home.loaded
    findings.push({ check: 'config', level: 'ok', message: join(directories.config, 'config.toml') })
  } catch (error) {
    findings.push(failure('config', error))
  }
  findings.push(await checkStore(join(directories.data, 'signalbox.db'), options.fix))
  const ledger = await checkLedger(join(directories.data, 'signalbox.db'))
  if (ledger) findings.push(ledger)
  const isStoreFine = findings.every(({ check, level }) => check !== 'store' || level === 'ok')
  if (home && isStoreFine) findings.push(...(await checkWorktrees(home, options)))
  findings.push(await checkDaemon(context))
  for (const tool of ['git', 'tmux']) findings.push(checkTool(tool, context))
  findings.push(...(await examineAgents(context, loaded)))
  return findings
}

function checkDirectories(context: CommandContext, findings: Finding[]): Directories | null {
  try {
    const directories = resolveDirectories(context.env, context.env.HOME)
    const repairs = ensureDirectories(directories)
    for (const { path, was, isRepaired } of repairs) {
      findings.push({
        check: 'directories',
        level: isRepaired ? 'note' : 'warning',
        message: `${path} was open to others (${was})${isRepaired ? '; closed' : ''}`,
      })
    }
    if (repairs.length === 0) findings.push({ check: 'directories', level: 'ok', message: directories.data })
    return directories
  } catch (error) {
    findings.push(failure('directories', error))
    return null
  }
}

async function checkStore(path: string, isFixing: boolean): Promise<Finding> {
  if (!existsSync(path)) return { check: 'store', level: 'ok', message: 'not made yet' }
  try {
    const store = await openStore({ path, clock: systemClock })
    try {
      const problems = await store.check()
      if (problems.length > 0)
        return {
          check: 'store',
          level: 'error',
          message: problems.map(problem => problem.message).join('; '),
          next: 'signalbox doctor --fix moves it aside and keeps what can be read',
        }
      return { check: 'store', level: 'ok', message: `${plural(await store.head(), 'event')} in ${path}` }
    } finally {
      await store.close()
    }
  } catch (error) {
    const known = toSignalboxError(error)
    if (!isFixing || known.code !== 'E_STORE_CORRUPT') return failure('store', error)
    const moved = await quarantine(path, { clock: systemClock })
    return {
      check: 'store',
      level: 'warning',
      message: `was damaged; moved to ${moved.movedTo}, ${plural(moved.salvaged?.events ?? 0, 'event')} kept`,
    }
  }
}

async function checkDaemon(context: CommandContext): Promise<Finding> {
  try {
    const client = await DaemonClient.running(context)
    if (!client) return { check: 'daemon', level: 'ok', message: 'not running; it starts when it is needed' }
    const health = await client.get<Health>('/health')
    return { check: 'daemon', level: 'ok', message: `version ${health.version}, pid ${health.pid}` }
  } catch (error) {
    return failure('daemon', error)
  }
}

function checkTool(name: string, context: CommandContext): Finding {
  const file = findExecutable(name, { path: context.env.PATH, cwd: context.cwd })
  if (file) return { check: name, level: 'ok', message: file }
  return {
    check: name,
    level: name === 'git' ? 'error' : 'note',
    message: 'not found',
    next: name === 'git' ? 'install git' : 'only needed to watch tmux panes',
  }
}

function failure(check: string, error: unknown): Finding {
  const { message, next, place } = toSignalboxError(error)
  const where = place ? `${[place.file, place.line, place.column].filter(part => part !== undefined).join(':')}: ` : ''
  return { check, level: 'error', message: where + message, ...(next !== undefined && { next }) }
}
