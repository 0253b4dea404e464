import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { transformSync } from 'rolldown/utils'
import type { Plugin } from 'vitest/config'
import { REPOSITORY } from './compiled.js'

const SOURCE = join(REPOSITORY, 'src')
/** Inside node_modules, so that Node finds packages from there. */
const COMPILED_SOURCE = join(REPOSITORY, 'node_modules', '.cache', 'signalbox-source')
/** Tests and what only they use are left to vitest. */
const OF_TESTS = /\.test\.ts$|(?:^|\/)testing\//

let isCompiled = false

/**
 * Lets Node load the modules of `src/` as they are, compiled once, instead of through vitest, which
 * transforms each of them and asks for it over a channel in each of its processes: a third of the
 * processor time of the unit tests. While watching, vitest has to see changes and loads them.
 */
export function compiledSource(): Plugin {
  return {
    name: 'signalbox:compiled-source',
    enforce: 'pre',
    configureVitest({ vitest }) {
      if (vitest.config.watch || isCompiled) return
      isCompiled = true
      compile()
    },
    resolveId(id, importer) {
      if (!isCompiled || importer === undefined || !id.startsWith('.') || !id.endsWith('.js')) return null
      const file = compiledFile(resolve(dirname(importer), id))
      return file !== null && existsSync(file) ? { id: file, external: true } : null
    },
  }
}

/** Where the compiled form of a module of `src/` is, be it there or not. */
function compiledFile(module: string): string | null {
  const path = relative(SOURCE, module)
  return path.startsWith('..') ? null : join(COMPILED_SOURCE, path)
}

/** Another vitest of this checkout may be reading the same files: each is replaced as a whole. */
function compile(): void {
  const compiled = new Set<string>()
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || OF_TESTS.test(path)) continue
    const source = join(SOURCE, path)
    const { code, map, errors } = transformSync(source, readFileSync(source, 'utf8'), { lang: 'ts', sourcemap: true })
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
    const file = join(COMPILED_SOURCE, path.replace(/\.ts$/, '.js'))
    compiled.add(file)
    mkdirSync(dirname(file), { recursive: true })
    const encoded = Buffer.from(JSON.stringify(map)).toString('base64')
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`)
    renameSync(draft, file)
  }
  for (const path of readdirSync(COMPILED_SOURCE, { recursive: true, encoding: 'utf8' })) {
    const file = join(COMPILED_SOURCE, path)
    if (file.endsWith('.js') && !compiled.has(file)) rmSync(file, { force: true })
  }
}
