import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../process/index.js'

/** The package's version, read from the one place that has it. */
export function version(): string {
  const file = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
