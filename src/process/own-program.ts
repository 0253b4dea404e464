import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs of this package, each a file in `dist/`. */
export type OwnProgram =
  | 'cli'
  | 'keeper/main'
  | 'sandbox/bridge-main'
  | 'demo-agent/main'
  | 'agents/headless/direct-main'
  | 'agents/headless/tool-hook-main'
  | 'panes/reader/thread-main'
  | 'process/command-helper-main'

/** The package's directory: the nearest above this file with a package.json. */
export const PACKAGE_ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)))

/** The script of one of our programs, to be run with `process.execPath`. */
export function ownProgram(name: OwnProgram): string {
  return join(PACKAGE_ROOT, 'dist', `${name}.js`)
}

/** Graphs that ship: `signalbox run example:<name>`. */
export const EXAMPLES_DIRECTORY = join(PACKAGE_ROOT, 'examples')

/** When this program was built, in ms: distinguishes builds of a version. 0: not built. */
export function buildTime(): number {
  return Math.floor(statSync(ownProgram('cli'), { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

function packageRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const above = dirname(directory)
  return above === directory ? directory : packageRoot(above)
}
