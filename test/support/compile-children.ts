import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { COMPILED, TESTS } from './compiled.js'

/**
 * Before all tests: every `*.child.ts`, which tests start as a process of its own, becomes one plain JavaScript file. Started from
 * its TypeScript source such a process spends a second of processor time on reading it, fifty times over in some tests.
 */
export default async function compileChildren(): Promise<void> {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.child.ts'))
  const build = await rolldown({
    input: Object.fromEntries(files.map(file => [file.slice(0, -'.ts'.length), join(TESTS, file)])),
    platform: 'node',
    external: [/^@lydell\//, /^@photostructure\//, /^@viz-js\//, /^@xterm\//],
  })
  await build.write({ dir: COMPILED, format: 'esm', entryFileNames: '[name].js' })
  await build.close()
}
