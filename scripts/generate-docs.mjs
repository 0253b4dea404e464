// `npm run docs`: writes the reference pages (docs/reference/) from the built program, so that they cannot drift from it.
// `npm run docs -- --check`: writes nothing; fails when a page is stale, a link leads nowhere, or a command in the docs does not exist.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDocProblems } from './docs-problems.mjs'
import { loadReference } from './docs-reference.mjs'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
build()
const isChecking = process.argv.includes('--check')
const { pages, commands } = await loadReference()
const problems = []
for (const [name, text] of Object.entries(pages)) {
  const path = `docs/reference/${name}.md`
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  if (isChecking) problems.push(`${path}: stale; run \`npm run docs\``)
  else {
    mkdirSync(join(root, 'docs', 'reference'), { recursive: true })
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
