// What a program can find wrong in a page: broken links, source files, commands or flags that do
// not exist, and sentences that something is not built yet.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './setup.mjs'

const SKIPPED = new Set(['node_modules', 'dist', 'site', '.git', 'fixtures', 'coverage', 'tmp'])
/**
 * A page describes what the product does. A sentence that something is not built, read, written or
 * used yet becomes false without anybody noticing; what can be derived is generated instead. Pages
 * of decisions describe a moment in the past.
 */
const ABSENCE = [
  /\bnot (?:yet )?built\b/i,
  /\bnot (?:read|written|used|run|carried out|implemented|supported) (?:yet|by this version)\b/i,
  /\b(?:nothing|nobody) (?:reads|writes|uses|executes)\b.*\byet\b/i,
  /\b(?:does|do|can|is|are) not \w+ yet\b/i,
  /\b(?:has|have) no \w+ yet\b/i,
  /\bthis version (?:acts|has|uses|does|writes|reads|knows)\b/i,
  /^#+ .*\byet\b/i,
]

/** One line for each problem, `file:line: what`. */
export function findDocProblems(commands) {
  return [...pagesBelow(root)].flatMap(file => {
    const lines = readFileSync(file, 'utf8').split('\n')
    const name = relative(root, file)
    const claims = name.startsWith('docs/decisions/')
      ? []
      : [...absenceProblems(lines), ...sourceProblems(lines), ...countProblems(lines)]
    return [...linkProblems(file, lines), ...commandProblems(lines, commands), ...claims].map(
      ({ line, what }) => `${name}:${line}: ${what}`,
    )
  })
}

function* pagesBelow(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* pagesBelow(path)
    else if (entry.name.endsWith('.md')) yield path
  }
}

function* linkProblems(file, lines) {
  for (const { text, line, isCode } of withFences(lines)) {
    if (isCode) continue
    const prose = text.replace(/`[^`]*`/g, '')
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)) {
      if (!target || /^[a-z]+:/.test(target)) continue
      const [path, anchor] = target.split('#')
      const other = path === '' ? file : join(dirname(file), path)
      if (!existsSync(other)) yield { line, what: `the link ${target} leads nowhere` }
      else if (anchor && !anchorsOf(other).has(anchor))
        yield { line, what: `${path || 'this page'} has no heading #${anchor}` }
    }
  }
}

/** Paths of source files, from the root of the repository or from `src/`. */
function* sourceProblems(lines) {
  for (const { text, line, isCode } of withFences(lines)) {
    if (isCode) continue
    for (const [, path] of text.matchAll(/`((?:[\w.*-]+\/)+[\w.*-]+(?:\.(?:ts|tsx|mjs)|(?<=\*)))`/g))
      if (!matches(join(root, path)) && !matches(join(root, 'src', path)))
        yield { line, what: `there is no file ${path}` }
  }
}

/** Whether a path exists; `*` stands for any characters of a name. */
function matches(path) {
  const at = path.split('/').findIndex(part => part.includes('*'))
  if (at < 0) return existsSync(path)
  const parts = path.split('/')
  const [directory, pattern] = [parts.slice(0, at).join('/'), parts[at].replaceAll('.', '\\.').replaceAll('*', '.*')]
  if (!existsSync(directory)) return false
  const names = readdirSync(directory).filter(name => new RegExp(`^${pattern}$`).test(name))
  return names.some(name => matches([directory, name, ...parts.slice(at + 1)].join('/')))
}

/** A heading “…: 30 files” is followed by a table of as many numbered rows. */
function* countProblems(lines) {
  for (const [index, text] of lines.entries()) {
    const said = /^### .*: (\d+) files/.exec(text)?.[1]
    if (said === undefined) continue
    const end = lines.findIndex((other, at) => at > index && other.startsWith('#'))
    const rows = lines.slice(index, end < 0 ? undefined : end).filter(row => /^\| \d+ \|/.test(row))
    if (rows.length !== Number(said))
      yield { line: index + 1, what: `${said} files are announced, ${rows.length} listed` }
  }
}

function* absenceProblems(lines) {
  for (const { text, line, isCode } of withFences(lines)) {
    const found = isCode ? null : ABSENCE.map(pattern => pattern.exec(text)?.[0]).find(Boolean)
    if (found) yield { line, what: `“${found}”: describe what exists; generate what can be derived` }
  }
}

function anchorsOf(file) {
  const headings = [...withFences(readFileSync(file, 'utf8').split('\n'))].filter(
    ({ text, isCode }) => !isCode && text.startsWith('#'),
  )
  return new Set(headings.map(({ text }) => anchorOf(text.replace(/^#+\s+/, ''))))
}

/** As GitHub names headings. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

function* commandProblems(lines, commands) {
  for (const { text, line, isCode } of withFences(lines)) {
    const pieces = isCode ? [text] : [...text.matchAll(/`([^`]+)`/g)].map(match => match[1])
    for (const piece of pieces) {
      for (const [, words] of piece.matchAll(/(?:^|[\s(|&;])signalbox((?: [^\s|&;)]+)+)/g)) {
        const what = misuse(words.trim().split(' '), commands)
        if (what) yield { line, what }
      }
    }
  }
}

function misuse([name, ...rest], commands) {
  if (!/^[a-z][a-z-]*$/.test(name)) return null
  const flags = commands.get(name)
  if (!flags) return `there is no command \`signalbox ${name}\``
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  const unknown = own.map(word => /^-{1,2}[a-z][\w-]*/.exec(word)?.[0]).find(flag => flag && !flags.has(flag))
  return unknown ? `\`signalbox ${name}\` has no ${unknown}` : null
}

function* withFences(lines) {
  let isCode = false
  for (const [index, text] of lines.entries()) {
    const isFence = /^\s*(```|~~~)/.test(text)
    if (isFence) isCode = !isCode
    else yield { text, line: index + 1, isCode }
  }
}
