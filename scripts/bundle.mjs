// Makes dist/ from src/: the programs, with what they share in chunks, and libraries that are plain
// JavaScript inside. A command that is one file of its own and a few chunks starts in half the time
// of one that opens three hundred modules (docs/decisions/0014-dist-is-bundled.md). dist/rooms has
// the rooms for scripts and benchmarks: as entries of the same build they would be whole chunks,
// and every command would load all of each room it touches. Types are checked elsewhere:
// `npm run check`.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { writeManPage } from './man-page.mjs'

/** Native parts, and what finds files of its own beside itself. */
const OUTSIDE = [/^@lydell\//, /^@photostructure\//, /^@viz-js\//, /^@xterm\//, /^ffi-rs$/, /^node:/, ...builtinModules]
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const src = join(root, 'src')
const dist = join(root, 'dist')
const PROGRAMS = [
  'cli',
  'keeper/main',
  'sandbox/bridge-main',
  'demo-agent/main',
  'agents/headless/direct-main',
  'agents/headless/tool-hook-main',
  'panes/reader/thread-main',
  'process/command-helper-main',
]
/** Modules of the programs that others import: the library, and the command line for tests. */
const MODULES = ['client/index', 'cli/main']

for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'web') rmSync(join(dist, name), { recursive: true, force: true })
}
const libraries = await bundle([...PROGRAMS, ...MODULES], dist)
writeFileSync(join(dist, 'LICENSES.txt'), licences([...libraries].sort()))
await bundle([...roomsBelow(src)], join(dist, 'rooms'))
await writeManPage(root)

/** Returns the directories of the libraries that are inside. */
async function bundle(names, directory) {
  const inside = new Set()
  const build = await rolldown({
    input: Object.fromEntries(names.map(name => [name, join(src, `${name}.ts`)])),
    cwd: root,
    platform: 'node',
    external: OUTSIDE,
    // Our modules only define their exports; libraries say in their package.json what they do.
    treeshake: { moduleSideEffects: id => (id.startsWith(src) ? false : undefined) },
    plugins: [
      {
        name: 'what-is-inside',
        moduleParsed({ id }) {
          const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)
          if (found) inside.add(found[1])
        },
      },
    ],
  })
  await build.write({
    dir: directory,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await build.close()
  return inside
}

/** `index.ts` of every room and of the folders in it that have one. */
function* roomsBelow(directory, prefix = '') {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'testing') continue
    const name = `${prefix}${entry.name}`
    if (existsSync(join(directory, entry.name, 'index.ts'))) yield `${name}/index`
    yield* roomsBelow(join(directory, entry.name), `${name}/`)
  }
}

/** The notices that the licences of bundled libraries ask to be kept. */
function licences(packages) {
  return packages
    .map(directory => {
      const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
      const file = readdirSync(directory).find(entry => /^licen[cs]e/i.test(entry))
      const text = file ? readFileSync(join(directory, file), 'utf8').trim() : `licence: ${license}`
      return `${name} ${version}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
