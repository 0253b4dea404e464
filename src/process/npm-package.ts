import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { runCommand } from './run-command.js'

const INSTALL_LIMIT_MS = 15 * 60_000

export interface NpmPackage {
  name: string
  version: string
}

/** Where packages are kept that Signalbox installs as separate programs. */
export function packageCache(env: NodeJS.ProcessEnv): string {
  // A database refuses to run as root, and other users cannot read the home of root.
  if (process.getuid?.() === 0 && env.XDG_CACHE_HOME === undefined) return '/var/cache/signalbox'
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'signalbox')
}

/** The directory of an installed package; null if it is not there. */
export function installedPackage(directory: string, { name, version }: NpmPackage): string | null {
  const found = join(packageDirectory(directory, { name, version }), 'node_modules', name)
  return existsSync(join(found, 'package.json')) ? found : null
}

/**
 * Installs a package with npm, without its scripts, unless it is there.
 * @throws SignalboxError `E_ENGINE_MISSING` with the command, if npm cannot.
 */
export async function installPackage(directory: string, wanted: NpmPackage, env: NodeJS.ProcessEnv): Promise<string> {
  const found = installedPackage(directory, wanted)
  if (found) return found
  const target = packageDirectory(directory, wanted)
  const draft = `${target}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), '{"private":true}\n')
  const spec = `${wanted.name}@${wanted.version}`
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', spec]
  const result = await runCommand('npm', args, { cwd: draft, env, timeoutMs: INSTALL_LIMIT_MS }).catch(
    (error: Error) => ({ code: null, stderr: error.message }),
  )
  if (result.code === 0) {
    rmSync(target, { recursive: true, force: true })
    renameSync(draft, target)
    return installedPackage(directory, wanted)!
  }
  rmSync(draft, { recursive: true, force: true })
  throw new SignalboxError('E_ENGINE_MISSING', `${spec} cannot be installed: ${lastLine(result.stderr)}`, {
    next: `npm install --prefix ${target} --ignore-scripts ${spec}`,
  })
}

function packageDirectory(directory: string, { name, version }: NpmPackage): string {
  return join(directory, `${name.replace(/^@/, '').replaceAll('/', '-')}-${version}`)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
