import { join } from 'node:path'
import { type Directories, ensureDirectories, resolveDirectories } from '../config/index.js'
import { type Home, openHome } from '../host/home/index.js'
import { findExecutable } from '../process/index.js'
import { canOpenPaths, defaultBackend, sandboxProblem } from '../sandbox/index.js'
import { examineAgents } from './agents.js'
import { checkBlobs } from './blobs.js'
import { type DoctorContext, type DoctorFinding, failure } from './finding.js'
import { checkLedger, checkStore } from './store.js'
import { checkWorkers } from './workers.js'
import { checkWorktrees } from './worktrees.js'

/** A block of the event loop that people notice. */
const SLOW_BLOCK_MS = 250

/** Checks machine and home directory. `fix` repairs what loses nothing. */
export async function examine(context: DoctorContext, { fix }: { fix: boolean }): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [{ check: 'node', level: 'ok', message: process.version }]
  const directories = checkDirectories(context, findings)
  if (!directories) return findings
  const home = checkConfig(context, findings)
  // Without valid settings the store is the one in the data directory.
  const settings = home?.settings ?? { dataDirectory: directories.data }
  const store = await checkStore(settings, { fix })
  findings.push(store)
  const ledger = await checkLedger(settings)
  if (ledger) findings.push(ledger)
  if (home) findings.push(...(await checkBlobs(home, context.env)))
  if (home && store.level === 'ok') findings.push(...(await checkWorktrees(home, { fix })))
  findings.push(...(await checkDaemon(context)), ...(await checkWorkers(context)))
  for (const tool of ['git', 'tmux']) findings.push(checkTool(tool, context))
  findings.push(checkSandbox(context))
  findings.push(...(await examineAgents(context, home?.loaded ?? null)))
  return findings
}

/** Creating the directories also closes them to other users. */
function checkDirectories({ env }: DoctorContext, findings: DoctorFinding[]): Directories | null {
  try {
    const directories = resolveDirectories(env, env.HOME)
    const repairs = ensureDirectories(directories)
    for (const { path, was, isRepaired } of repairs) {
      findings.push({
        check: 'directories',
        level: isRepaired ? 'note' : 'warning',
        message: `${path} was open to other users (${was})${isRepaired ? '; now closed' : ''}`,
      })
    }
    if (repairs.length === 0) findings.push({ check: 'directories', level: 'ok', message: directories.data })
    return directories
  } catch (error) {
    findings.push(failure('directories', error))
    return null
  }
}

function checkConfig(context: DoctorContext, findings: DoctorFinding[]): Home | null {
  try {
    const home = openHome(context)
    findings.push({ check: 'config', level: 'ok', message: join(home.directories.config, 'config.toml') })
    return home
  } catch (error) {
    findings.push(failure('config', error))
    return null
  }
}

async function checkDaemon(context: DoctorContext): Promise<DoctorFinding[]> {
  try {
    const daemon = await context.daemon()
    if (!daemon) return [{ check: 'daemon', level: 'ok', message: 'not running; a command that needs it starts it' }]
    const { version, pid, loop, readers } = daemon
    return [
      { check: 'daemon', level: 'ok', message: `version ${version}, pid ${pid}` },
      responsiveness(loop.recent),
      describeReaders(readers),
    ]
  } catch (error) {
    return [failure('daemon', error)]
  }
}

/** A busy machine delays the daemon too, so a long block is never an error. */
function responsiveness(block: { ms: number; session: { id: string; ms: number } | null } | null): DoctorFinding {
  const check = 'event loop'
  if (!block) return { check, level: 'ok', message: 'not measured yet' }
  const { ms, session } = block
  const slice = session ? `; longest slice of a session ${session.ms} ms (${session.id})` : ''
  return {
    check,
    level: ms > SLOW_BLOCK_MS ? 'note' : 'ok',
    message: `longest block in five minutes ${ms} ms${slice}`,
    ...(ms > SLOW_BLOCK_MS && { next: 'the machine is busy, or a session is expensive to read' }),
  }
}

/** Whether agents can be started in a sandbox here. */
function checkSandbox({ env }: DoctorContext): DoctorFinding {
  const backend = defaultBackend()
  const problem = sandboxProblem(backend, env.PATH)
  if (problem === null) {
    const opens = backend === 'bubblewrap' && canOpenPaths(env.PATH)
    const paths = `paths that you allow ${opens ? 'appear in running sandboxes' : 'take effect at the next start of a session'}`
    return { check: 'sandbox', level: 'ok', message: `${backend} works; ${paths}` }
  }
  return { check: 'sandbox', level: 'note', message: problem, next: 'needed only for start --sandbox' }
}

function describeReaders({ threads, failures }: { threads: number; failures: number }): DoctorFinding {
  const check = 'terminals'
  const by = threads === 0 ? 'read by the daemon itself' : `read by ${threads} thread${threads === 1 ? '' : 's'}`
  if (failures === 0) return { check, level: 'ok', message: by }
  const next = 'see the events `reader.lost`, and report the pack or the recording'
  return { check, level: 'note', message: `${by}; a reader failed ${failures} times`, next }
}

function checkTool(name: string, { env, cwd }: DoctorContext): DoctorFinding {
  const file = findExecutable(name, { path: env.PATH, cwd })
  if (file) return { check: name, level: 'ok', message: file }
  return {
    check: name,
    level: name === 'git' ? 'error' : 'note',
    message: 'not found',
    next: name === 'git' ? 'install git' : 'needed only to watch tmux panes',
  }
}
