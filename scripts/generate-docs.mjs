// `npm run docs`: writes the reference pages and their drawings from the sources of the program.
// `npm run docs -- --check`: writes nothing; fails when a file is stale, a link is broken, or a
// page names a command that does not exist.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findDocProblems } from './docs-problems.mjs'
import { generate, install, requireNode, root } from './setup.mjs'

requireNode()
install()
generate()
const { register } = await import('tsx/esm/api')
register()
const { loadReference } = await import('./docs-reference.mjs')
const isChecking = process.argv.includes('--check')
const { files, commands } = await loadReference()
const problems = []
for (const [name, text] of Object.entries(files)) {
  const path = `docs/${name}`
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  if (isChecking) problems.push(`${path}: stale; run \`npm run docs\``)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    console.log(`wrote ${path}`)
  }
}
problems.push(...findDocProblems(commands))
if (problems.length > 0) {
  console.error(problems.join('\n'))
  console.error(`${problems.length} problems in the docs`)
  process.exit(1)
}
console.log('docs are up to date')
