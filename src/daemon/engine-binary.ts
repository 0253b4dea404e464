import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import type { Home } from '../host/home/index.js'
import { installedPackage, installPackage, packageCache } from '../process/index.js'

/** The program of the engine: an npm package per platform, which is no part of Signalbox. */
const PACKAGE = { name: `@restatedev/restate-server-${process.platform}-${process.arch}`, version: '1.7.12' }

/**
 * In the data directory, or in the cache of the user.
 * @throws SignalboxError `E_ENGINE_MISSING`
 */
export function engineBinary({ settings }: Home, env: NodeJS.ProcessEnv): string {
  const found =
    installedPackage(packagesIn(settings.dataDirectory), PACKAGE) ?? installedPackage(packageCache(env), PACKAGE)
  if (found) return join(found, 'bin', 'restate-server')
  throw new SignalboxError('E_ENGINE_MISSING', `the engine Restate ${PACKAGE.version} is not installed`, {
    next: 'signalbox engine install',
  })
}

/** Installs it; into the data directory, or where several homes find it. */
export function installEngine(
  { settings }: Home,
  env: NodeJS.ProcessEnv,
  { isShared }: { isShared: boolean } = { isShared: false },
): Promise<string> {
  return installPackage(isShared ? packageCache(env) : packagesIn(settings.dataDirectory), PACKAGE, env)
}

function packagesIn(dataDirectory: string): string {
  return join(dataDirectory, 'packages')
}
