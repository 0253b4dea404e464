import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const TESTS = dirname(dirname(fileURLToPath(import.meta.url)))
export const REPOSITORY = dirname(TESTS)
/** Inside node_modules, so that Node finds packages from there. */
export const COMPILED = join(REPOSITORY, 'node_modules', '.cache', 'signalbox-test')

/** The JavaScript file that compile-children.ts made from a `*.child.ts`. */
export function compiledChild(file: string): string {
  return join(COMPILED, relative(TESTS, file).replace(/\.ts$/, '.js'))
}
