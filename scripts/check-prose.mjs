// Rules of docs/style.md for what people read in the source: comments wrap at 100 columns, name
// only files that exist, and messages name only commands that exist. Prints every violation as
// file:line and exits 1 if there is one.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const COLUMNS = 100
const TREES = ['src', 'web', 'test', 'scripts', 'bench', 'examples']
/**
 * A file by name or path, as comments write it, also with `*` for any characters; not a suffix
 * (`*.ts`) or a made-up name.
 */
const FILE_NAME = /(?<![\w*<>{}$.@/-])((?:[\w-]+\/)*[a-z][\w*-]*(?:\.[a-z]+)*\.(?:ts|tsx|mjs))(?![\w-])/g
/** A command in quotes: a word after the name of the program. */
const COMMAND = /[`'"“]signalbox ([a-z][a-z-]+)/g

const problems = []
const files = TREES.flatMap(tree => [...sources(join(root, tree))])
const names = new Set([...files, ...sources(join(root, 'packs'))].flatMap(endingsOf))
const commands = commandNames()

for (const file of files) {
  let isBlock = false
  const text = readFileSync(file, 'utf8')
  if (text.startsWith('// Generated')) continue
  text.split('\n').forEach((text, index) => {
    if (/^\s*\/\*/.test(text)) isBlock = true
    const isComment = isBlock || /^\s*\/\//.test(text)
    if (isComment) checkComment(file, index + 1, text)
    if (text.includes('*/')) isBlock = false
    for (const [, name] of text.matchAll(COMMAND))
      if (!commands.has(name)) report(file, index + 1, `there is no command "signalbox ${name}"`)
  })
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  console.error(`${problems.length} violations of docs/style.md`)
  process.exit(1)
}
console.log('comments and commands hold')

function checkComment(file, line, text) {
  if (text.length > COLUMNS && !/https?:\/\/\S+\s*$|biome-ignore/.test(text))
    report(file, line, `a comment of ${text.length} columns: wrap it at ${COLUMNS}`)
  for (const [, name] of text.matchAll(FILE_NAME))
    if (!isNamed(name, file)) report(file, line, `a comment names ${name}, which does not exist`)
}

/** A pattern without a folder is about the folder of the file that names it, and those below. */
function isNamed(name, file) {
  if (!name.includes('*')) return names.has(name)
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[\\w-]*')}$`)
  if (name.includes('/')) return [...names].some(known => pattern.test(known))
  return files.some(other => other.startsWith(`${dirname(file)}/`) && pattern.test(basename(other)))
}

/** A file may be named by any end of its path: `ledger.ts`, `approvals/ledger.ts`. */
function endingsOf(file) {
  const parts = relative(root, file).split('/')
  return parts.map((_, index) => parts.slice(index).join('/'))
}

function* sources(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'fixtures', 'golden'].includes(entry.name)) yield* sources(path)
    } else if (/\.(tsx?|mjs)$/.test(entry.name)) yield path
  }
}

/** Keys of the specs: the only lines that are indented by two spaces and open an object. */
function commandNames() {
  const found = new Set(['help'])
  for (const file of sources(join(root, 'src', 'cli', 'specs')))
    for (const [, quoted, plain] of readFileSync(file, 'utf8').matchAll(/^ {2}(?:'([\w-]+)'|(\w+)): \{$/gm))
      found.add(quoted ?? plain)
  return found
}

function report(file, line, message) {
  problems.push(`${relative(root, file)}:${line}: ${message}`)
}
