import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { PACKAGE_ROOT, runCommand } from '../../process/index.js'
import type { DaemonInfo } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { changesSince } from '../upgrade/change-log.js'
import { version } from '../version.js'

const NPM_LIMIT_MS = 120_000

/** Compares with what npm has, or with a package file; installs nothing. */
export async function run(context: CommandContext, { options }: InputOf<'upgrade'>): Promise<number> {
  const own = version()
  const newest = await readPackage(context, options.from ?? 'signalbox')
  const isNewer = own.localeCompare(newest.version, 'en', { numeric: true }) < 0
  const changes = isNewer ? changesSince(newest.changeLog, own) : ''
  const daemon = await (await DaemonClient.running(context))?.get<DaemonInfo>('/daemon')
  const install = `npm install -g ${options.from ?? 'signalbox'}${options.from === undefined ? `@${newest.version}` : ''}`
  if (options.json)
    context.json({ version: own, newest: newest.version, isNewer, changes, install, daemon: daemon?.version ?? null })
  else {
    context.out(
      isNewer ? `${newest.version} is newer than ${own}` : `${own} is the newest version (npm has ${newest.version})`,
    )
    if (changes) context.out(`\n${changes}\n`)
    if (isNewer) context.out(`${install}\nAgents keep running; the next command starts the new daemon.`)
    if (daemon && daemon.version !== own)
      context.out(`The daemon that runs is ${daemon.version}: signalbox serve --stop`)
  }
  return options.check && isNewer ? EXIT.failed : EXIT.ok
}

async function readPackage(context: CommandContext, name: string): Promise<{ version: string; changeLog: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-upgrade-'))
  const call = async (file: string, args: readonly string[]) => {
    const result = await runCommand(file, args, { cwd: context.cwd, env: context.env, timeoutMs: NPM_LIMIT_MS }).catch(
      (error: Error) => ({ code: 1, stdout: '', stderr: error.message }),
    )
    if (result.code === 0) return result.stdout
    throw new SignalboxError('E_UPGRADE', npmProblem(name, result.stderr.trim()), {
      next: `this is ${version()}, in ${PACKAGE_ROOT}; --from compares with a package file`,
    })
  }
  try {
    const args = ['pack', name, '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', directory]
    const [packed] = JSON.parse(await call('npm', args)) as [{ version: string; filename: string }]
    const changeLog = await call('tar', ['-xzOf', join(directory, packed.filename), 'package/CHANGELOG.md'])
    return { version: packed.version, changeLog }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The codes of npm, in words. */
function npmProblem(name: string, said: string): string {
  if (/\bE404\b/.test(said)) return `npm has no package "${name}"`
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(said)) return 'npm cannot reach its registry'
  if (/\bENOENT\b/.test(said)) return `npm cannot read ${name}`
  return `npm cannot fetch ${name}: ${said.split('\n').find(line => line.includes('code')) ?? said}`
}
