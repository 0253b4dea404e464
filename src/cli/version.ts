import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../process/index.js'

export function version(): string {
  const file = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
