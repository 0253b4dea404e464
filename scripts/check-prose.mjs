// Rules of docs/style.md for what people read in the source: comments wrap at 100 columns, name
// only files that exist, and messages name only commands that exist. Comments and pages that name
// `Class.member` of a class of src/ name a member that it has. Every index.ts of src/ opens with
// what its folder does, and that of a room names the folders in it. AGENTS.md stays short.
// Prints every violation as file:line and exits 1 if there is one.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const COLUMNS = 100
/** A contributor reads AGENTS.md whole. */
const CONTRIBUTING_LINES_MAX = 120
const TREES = ['src', 'web', 'test', 'scripts', 'bench', 'examples', 'packs']
/** Folders of tests and data, which an index.ts need not name. */
const UNNAMED_FOLDERS = ['testing', 'fixtures', '__snapshots__']
/**
 * A file by name or path, as comments write it, also with `*` for any characters; not a suffix
 * (`*.ts`) or a made-up name.
 */
const FILE_NAME = /(?<![\w*<>{}$.@/-])((?:[\w-]+\/)*[a-z][\w*-]*(?:\.[a-z]+)*\.(?:ts|tsx|mjs))(?![\w-])/g
/** A member of a class in backticks: `Ledger.decide`, `LocalPeers.#find`, `Pane.feed(bytes)`. */
const MEMBER = /`([A-Z]\w*)\.(#?[a-z]\w*)(?:\([^`]*\))?`/g
/** The declaration of a member: the only lines of a class that are indented by two spaces. */
const DECLARED =
  /^ {2}(?:(?:static|readonly|async|get|set|private|protected|abstract|override|declare) )*\*?(#?\w+)[(<:=?!; ]/
/** A command in quotes: a word after the name of the program. */
const COMMAND = /[`'"“]signalbox ([a-z][a-z-]+)/g

const problems = []
const files = TREES.flatMap(tree => [...sources(join(root, tree))])
const names = new Set(files.flatMap(endingsOf))
const commands = commandNames()
const members = membersOfClasses()

for (const file of files) {
  let isBlock = false
  const text = readFileSync(file, 'utf8')
  if (text.startsWith('// Generated')) continue
  if (/\/src\/.*\/index\.ts$/.test(file)) checkIndex(file, text)
  text.split('\n').forEach((text, index) => {
    if (/^\s*\/\*/.test(text)) isBlock = true
    const isComment = isBlock || (file.endsWith('.toml') ? /^\s*#/ : /^\s*\/\//).test(text)
    if (isComment) checkComment(file, index + 1, text)
    if (text.includes('*/')) isBlock = false
    for (const [, name] of text.matchAll(COMMAND))
      if (!commands.has(name)) report(file, index + 1, `there is no command "signalbox ${name}"`)
  })
}
for (const file of pages(root))
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((text, index) => checkMembers(file, index + 1, text))
const contributing = readFileSync(join(root, 'AGENTS.md'), 'utf8').split('\n').length - 1
if (contributing > CONTRIBUTING_LINES_MAX)
  report(join(root, 'AGENTS.md'), contributing, `${contributing} lines: move a list to a page of docs/`)
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
  checkMembers(file, line, text)
}

function checkMembers(file, line, text) {
  for (const [, name, member] of text.matchAll(MEMBER))
    if (members.has(name) && !members.get(name).has(member))
      report(file, line, `"${name}.${member}" is named, and ${name} has no such member`)
}

function checkIndex(file, text) {
  if (relative(root, file).startsWith('web')) return
  const head = /^\/\*[\s\S]*?\*\//.exec(text)?.[0]
  if (!head) return report(file, 1, 'index.ts opens with a comment that says what its folder does')
  for (const entry of readdirSync(dirname(file), { withFileTypes: true }))
    if (entry.isDirectory() && !UNNAMED_FOLDERS.includes(entry.name) && !head.includes(`${entry.name}/`))
      report(file, 1, `the first comment does not name ${entry.name}/`)
}

/**
 * The members of each class of src/, with those of what it extends. An interface of the same name
 * counts as well. A class that extends one of another program is left out.
 */
function membersOfClasses() {
  const declared = new Map()
  for (const file of sources(join(root, 'src'))) {
    let open = null
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [, kind, name, parent] =
        /^(?:export )?(?:abstract )?(class|interface) (\w+)(?:<.*>)?(?: extends (\w+))?.*\{$/.exec(line) ?? []
      if (kind) {
        open = declared.get(name) ?? { isClass: false, own: new Set(), parents: new Set() }
        declared.set(name, open)
        open.isClass ||= kind === 'class'
        if (parent) open.parents.add(parent)
      } else if (/^\}/.test(line)) open = null
      else if (open) {
        const member = DECLARED.exec(line)?.[1]
        if (member) open.own.add(member)
      }
    }
  }
  const membersOf = name => {
    const { own, parents } = declared.get(name) ?? {}
    if (!own) return null
    const inherited = [...parents].map(membersOf)
    return inherited.includes(null) ? null : new Set([...own, ...inherited.flatMap(found => [...found])])
  }
  const classes = [...declared].filter(([, { isClass }]) => isClass).map(([name]) => [name, membersOf(name)])
  return new Map(classes.filter(([, found]) => found !== null))
}

/** The pages of the project. Decisions and the change log also name what was. */
function* pages(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      if (directory !== root ? entry.name !== 'decisions' : entry.name === 'docs') yield* pages(path)
    } else if (entry.name.endsWith('.md') && entry.name !== 'CHANGELOG.md') yield path
  }
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
    } else if (/\.(tsx?|mjs|css|toml)$/.test(entry.name)) yield path
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
