import { readFileSync } from 'node:fs'

/** The package's version, read from the one place that has it. */
export function version(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
