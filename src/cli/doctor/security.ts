import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { agentNames, loadAgent } from '../../agents/index.js'
import { systemClock } from '../../clock/index.js'
import { type Config, type Directories, resolveDirectories } from '../../config/index.js'
import { toSignalboxError } from '../../errors/index.js'
import { openHomeStore } from '../../host/index.js'
import { ownProgram } from '../../process/index.js'
import { plural } from '../../text/index.js'
import { TrustStore } from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { openHome } from '../home.js'
import { planHooks } from '../watch/user-hooks.js'
import type { Finding } from './checks.js'
import { checkLedger } from './ledger-check.js'

/** How deep private directories are looked through, and how many open files are named. */
const DEPTH = 3
const NAMED = 5
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

/** What stands between others and what Signalbox keeps and does: one line for each, with what to do where something is open. */
export async function examineSecurity(context: CommandContext): Promise<Finding[]> {
  try {
    // Looked at first: opening the home closes what stood open.
    const modes = checkModes(resolveDirectories(context.env, context.env.HOME))
    const { directories, loaded } = openHome(context)
    const { config } = loaded
    return [
      modes,
      ...checkBind(config),
      checkDeciders(config),
      checkPermissions(config),
      ...(await checkHooks(context, directories)),
      await checkTrust(directories),
      (await checkLedger(join(directories.data, 'signalbox.db'))) ?? {
        check: 'ledger',
        level: 'ok',
        message: 'no decision has been made yet',
      },
    ]
  } catch (error) {
    const { message, next } = toSignalboxError(error)
    return [{ check: 'config', level: 'error', message, ...(next !== undefined && { next }) }]
  }
}

function checkModes({ config, data, state, runtime }: Directories): Finding {
  const open = [config, data, state, runtime].flatMap(directory => openFiles(directory, DEPTH))
  if (open.length === 0) return { check: 'modes', level: 'ok', message: 'nobody else can read what is kept here' }
  const named = open.slice(0, NAMED).join(' ')
  return {
    check: 'modes',
    level: 'error',
    message: `${plural(open.length, 'path')} could be read or written by others: ${named}; directories are closed now`,
    next: `chmod go-rwx ${named}`,
  }
}

/** Files and directories that others may read or write; links are not followed. */
function openFiles(path: string, depth: number): string[] {
  if (!existsSync(path)) return []
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return []
  const own = (status.mode & 0o077) === 0 || process.platform === 'win32' ? [] : [path]
  // What lies in a directory that nobody else can enter is closed with it.
  if (!status.isDirectory() || depth === 0 || own.length === 0) return own
  return [...own, ...readdirSync(path).flatMap(name => openFiles(join(path, name), depth - 1))]
}

function checkBind({ server }: Config): Finding[] {
  if (LOOPBACK.includes(server.bind))
    return [
      { check: 'bind', level: 'ok', message: `the dashboard is reached from this machine alone (${server.bind})` },
    ]
  const missing = [
    ...(server.public ? [] : ['server.public = true']),
    ...(server.tls_cert !== null || server.behind_proxy
      ? []
      : ['server.tls_cert and server.tls_key, or server.behind_proxy']),
    ...(server.passphrase_file === null ? ['server.passphrase_file'] : []),
  ]
  if (missing.length > 0)
    return [
      {
        check: 'bind',
        level: 'error',
        message: `server.bind is ${server.bind}, and serve will refuse to start`,
        next: `set ${missing.join(', ')}, or server.bind = "127.0.0.1"`,
      },
    ]
  return [
    {
      check: 'bind',
      level: 'warning',
      message: `the dashboard can be reached from other machines (${server.bind})`,
      next: 'server.bind = "127.0.0.1" unless that is meant',
    },
  ]
}

/** Agents run as the person: what that means depends on who may decide. */
function checkDeciders({ approvals }: Config): Finding {
  const from = approvals.decide_from
  if (!from.includes('cli') && !from.includes('api'))
    return { check: 'deciders', level: 'ok', message: `decisions come from ${from.join(', ')} alone` }
  return {
    check: 'deciders',
    level: 'note',
    message: `agents run as you, so a program of theirs could reach your socket; decisions are taken from ${from.join(', ')}`,
    next: 'approvals.decide_from = ["web", "telegram"] with approvals.step_up = "on", or run agents as another user',
  }
}

function checkPermissions({ oneshot }: Config): Finding {
  if (oneshot.permissions !== 'all')
    return { check: 'permissions', level: 'ok', message: `workers without a person get "${oneshot.permissions}"` }
  return {
    check: 'permissions',
    level: 'warning',
    message: 'workers without a person may do everything (oneshot.permissions = "all")',
    next: 'oneshot.permissions = "edits", or run them in a container',
  }
}

async function checkHooks(context: CommandContext, { data }: Directories): Promise<Finding[]> {
  const findings: Finding[] = []
  const relay = [process.execPath, ownProgram('cli')]
  for (const agent of await Promise.all(agentNames().map(loadAgent))) {
    const hooks = agent.hooks?.user
    if (!hooks) continue
    try {
      const options = { env: context.env, relay, wish: 'install' as const, backupDirectory: join(data, 'hooks') }
      const { file, installed, before, after } = planHooks(agent.name, hooks, options)
      if (installed > 0)
        findings.push({
          check: 'hooks',
          level: before === after ? 'note' : 'warning',
          message: `${agent.name} calls Signalbox from ${file}${before === after ? '' : ', by lines that are not the ones of this version'}`,
          next: `signalbox hooks ${before === after ? 'remove' : 'install'} ${agent.name}`,
        })
    } catch (error) {
      findings.push({ check: 'hooks', level: 'warning', message: `${agent.name}: ${toSignalboxError(error).message}` })
    }
  }
  if (findings.length > 0) return findings
  return [{ check: 'hooks', level: 'ok', message: 'no agent’s own settings call Signalbox' }]
}

async function checkTrust({ data }: Directories): Promise<Finding> {
  if (!existsSync(join(data, 'signalbox.db'))) return { check: 'trust', level: 'ok', message: 'no project is trusted' }
  const store = await openHomeStore({ dataDirectory: data, clock: systemClock, onError: () => undefined })
  try {
    const records = await new TrustStore(store, data).list()
    if (records.length === 0) return { check: 'trust', level: 'ok', message: 'no project is trusted' }
    const gone = records.filter(({ path }) => !existsSync(path))
    return {
      check: 'trust',
      level: gone.length > 0 ? 'warning' : 'note',
      message: `${plural(records.length, 'project')} may run what was shown: ${records
        .slice(0, NAMED)
        .map(({ path }) => path)
        .join(' ')}${gone.length > 0 ? `; ${gone.length} of them are not there any more` : ''}`,
      next: 'signalbox trust list; signalbox trust revoke <project>',
    }
  } finally {
    await store.close()
  }
}
