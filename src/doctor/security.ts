import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { agentNames, loadAgent, planHooks } from '../agents/index.js'
import { systemClock } from '../clock/index.js'
import { type Config, type Directories, resolveDirectories } from '../config/index.js'
import { toSignalboxError } from '../errors/index.js'
import { openHome } from '../host/home/index.js'
import { type HostSettings, mayHaveStore, openHomeStore } from '../host/index.js'
import { ownProgram } from '../process/index.js'
import { plural } from '../text/index.js'
import { TrustStore } from '../trust/index.js'
import type { DoctorContext, DoctorFinding } from './finding.js'
import { checkLedger } from './store.js'

/** How deep private directories are searched, and how many paths a message names. */
const DEPTH = 3
const NAMED = 5
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

/** Checks what protects the data and the decisions from other users, machines and programs. */
export async function examineSecurity(context: Pick<DoctorContext, 'env' | 'cwd'>): Promise<DoctorFinding[]> {
  try {
    // Checked first: opening the home closes directories that were open.
    const modes = checkModes(resolveDirectories(context.env, context.env.HOME))
    const { directories, loaded, settings } = openHome(context)
    const { config } = loaded
    return [
      modes,
      ...checkBind(config),
      checkDeciders(config),
      checkPermissions(config),
      ...(await checkHooks(context, directories)),
      await checkTrust(settings),
      (await checkLedger(settings)) ?? {
        check: 'ledger',
        level: 'ok',
        message: 'no decisions yet',
      },
    ]
  } catch (error) {
    const { message, next } = toSignalboxError(error)
    return [{ check: 'config', level: 'error', message, ...(next !== undefined && { next }) }]
  }
}

function checkModes({ config, data, state, runtime }: Directories): DoctorFinding {
  const open = [config, data, state, runtime].flatMap(directory => openFiles(directory, DEPTH))
  if (open.length === 0) return { check: 'modes', level: 'ok', message: 'no other user can read these directories' }
  const named = open.slice(0, NAMED).join(' ')
  return {
    check: 'modes',
    level: 'error',
    message: `other users could read or write ${plural(open.length, 'path')}: ${named}; directories are now closed`,
    next: `chmod go-rwx ${named}`,
  }
}

/** Files and directories that other users may read or write; links are not followed. */
function openFiles(path: string, depth: number): string[] {
  if (!existsSync(path)) return []
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return []
  const own = (status.mode & 0o077) === 0 || process.platform === 'win32' ? [] : [path]
  // Files in a directory that other users cannot enter are closed with it.
  if (!status.isDirectory() || depth === 0 || own.length === 0) return own
  return [...own, ...readdirSync(path).flatMap(name => openFiles(join(path, name), depth - 1))]
}

function checkBind({ server }: Config): DoctorFinding[] {
  if (LOOPBACK.includes(server.bind))
    return [{ check: 'bind', level: 'ok', message: `the dashboard listens on this machine only (${server.bind})` }]
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
        message: `server.bind is ${server.bind}; serve refuses to start`,
        next: `set ${missing.join(', ')}, or server.bind = "127.0.0.1"`,
      },
    ]
  return [
    {
      check: 'bind',
      level: 'warning',
      message: `other machines can reach the dashboard (${server.bind})`,
      next: 'set server.bind = "127.0.0.1" unless you want that',
    },
  ]
}

/** Agents run as the same user as the person, so their programs can reach the person's socket. */
function checkDeciders({ approvals }: Config): DoctorFinding {
  const from = approvals.decide_from
  if (!from.includes('cli') && !from.includes('api'))
    return { check: 'deciders', level: 'ok', message: `decisions are accepted only from ${from.join(', ')}` }
  return {
    check: 'deciders',
    level: 'note',
    message: `agents run as you, so their programs could use your socket; decisions are accepted from ${from.join(', ')}`,
    next: 'approvals.decide_from = ["web", "telegram"] with approvals.step_up = "on", or run agents as another user',
  }
}

function checkPermissions({ oneshot }: Config): DoctorFinding {
  if (oneshot.permissions !== 'all') {
    const level = oneshot.permissions ?? 'ask, or edits if the agent cannot ask'
    return { check: 'permissions', level: 'ok', message: `permissions of unattended workers: ${level}` }
  }
  return {
    check: 'permissions',
    level: 'warning',
    message: 'unattended workers may do everything (oneshot.permissions = "all")',
    next: 'oneshot.permissions = "edits", or run them in a container',
  }
}

async function checkHooks({ env }: Pick<DoctorContext, 'env'>, { data }: Directories): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  const relay = [process.execPath, ownProgram('cli')]
  for (const agent of await Promise.all(agentNames().map(loadAgent))) {
    const hooks = agent.hooks?.user
    if (!hooks) continue
    try {
      const options = { env, relay, action: 'install' as const, backupDirectory: join(data, 'hooks') }
      const { file, installed, before, after } = planHooks(agent.name, hooks, options)
      if (installed > 0)
        findings.push({
          check: 'hooks',
          level: before === after ? 'note' : 'warning',
          message: `${agent.name} calls Signalbox from ${file}${before === after ? '' : '; the hooks are of another version'}`,
          next: `signalbox hooks ${before === after ? 'remove' : 'install'} ${agent.name}`,
        })
    } catch (error) {
      findings.push({ check: 'hooks', level: 'warning', message: `${agent.name}: ${toSignalboxError(error).message}` })
    }
  }
  if (findings.length > 0) return findings
  return [{ check: 'hooks', level: 'ok', message: 'no agent’s settings call Signalbox' }]
}

async function checkTrust(settings: HostSettings): Promise<DoctorFinding> {
  if (!mayHaveStore(settings)) return { check: 'trust', level: 'ok', message: 'no project is trusted' }
  const store = await openHomeStore({ ...settings, clock: systemClock, onError: () => undefined })
  try {
    const records = await new TrustStore(store, settings.dataDirectory).list()
    if (records.length === 0) return { check: 'trust', level: 'ok', message: 'no project is trusted' }
    const gone = records.filter(({ path }) => !existsSync(path))
    return {
      check: 'trust',
      level: gone.length > 0 ? 'warning' : 'note',
      message: `${plural(records.length, 'project')} trusted: ${records
        .slice(0, NAMED)
        .map(({ path }) => path)
        .join(' ')}${gone.length > 0 ? `; ${gone.length} of them no longer exist` : ''}`,
      next: 'signalbox trust lists them; signalbox trust <directory> --remove revokes one',
    }
  } finally {
    await store.close()
  }
}
