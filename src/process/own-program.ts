import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs that are built from this package, each a file in `dist/`. */
export type OwnProgram = 'cli' | 'keeper/main' | 'demo-agent/main' | 'agents/headless/direct-main'

/** The package's own directory: the nearest one above this file that holds a package.json, whatever the build made of `src/`. */
export const PACKAGE_ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)))

/** The script of one of our programs, to be started with `process.execPath`. */
export function ownProgram(name: OwnProgram): string {
  return join(PACKAGE_ROOT, 'dist', `${name}.js`)
}

/** When this program was built, in wall milliseconds: what tells two builds of one version apart. 0 where nothing is built. */
export function buildTime(): number {
  return Math.floor(statSync(ownProgram('cli'), { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

function packageRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const above = dirname(directory)
  return above === directory ? directory : packageRoot(above)
}
