import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { COMPILED, TESTS } from './compiled.js'

/**
 * Compiles every `*.child.ts`, which tests start as separate processes, to one plain JavaScript
 * file before the tests run. A process that starts from TypeScript spends a second of processor
 * time on compiling, and some tests start fifty of them.
 */
export default async function compileChildren(): Promise<void> {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.child.ts'))
  const build = await rolldown({
    input: Object.fromEntries(files.map(file => [file.slice(0, -'.ts'.length), join(TESTS, file)])),
    platform: 'node',
    external: [/^@lydell\//, /^@photostructure\//, /^@viz-js\//, /^@xterm\//, /^ffi-rs$/],
  })
  await build.write({ dir: COMPILED, format: 'esm', entryFileNames: '[name].js' })
  await build.close()
}
