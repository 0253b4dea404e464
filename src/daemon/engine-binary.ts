import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { installedPackage, installPackage, packageCache } from '../process/index.js'

/** The program of the engine: an npm package per platform, which is not part of Signalbox. */
const PACKAGE = { name: `@restatedev/restate-server-${process.platform}-${process.arch}`, version: '1.7.12' }

/**
 * In the user's cache directory, shared by all home directories.
 * @throws SignalboxError `E_ENGINE_MISSING`
 */
export function engineBinary(env: NodeJS.ProcessEnv): string {
  const found = installedPackage(packageCache(env), PACKAGE)
  if (found) return join(found, 'bin', 'restate-server')
  throw new SignalboxError('E_ENGINE_MISSING', `the engine Restate ${PACKAGE.version} is not installed`, {
    next: 'signalbox engine install',
  })
}

/** Unless it is there; `onDownload` is called before it is downloaded. */
export function installEngine(env: NodeJS.ProcessEnv, onDownload: () => void): Promise<string> {
  if (installedPackage(packageCache(env), PACKAGE) === null) onDownload()
  return installPackage(packageCache(env), PACKAGE, env)
}
