import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const TESTS = dirname(dirname(fileURLToPath(import.meta.url)))
/** Inside node_modules, so that packages are found from there. */
export const COMPILED = join(dirname(TESTS), 'node_modules', '.cache', 'signalbox-test')

/** What compile-children.ts made of a `*.child.ts`, given its path. */
export function compiledChild(file: string): string {
  return join(COMPILED, relative(TESTS, file).replace(/\.ts$/, '.js'))
}
