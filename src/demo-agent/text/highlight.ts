import { COLOR, type Line, type Style } from './style.js'

const SCRIPT_WORDS =
  'async await break case catch class const continue default delete do else enum export extends finally for from function if implements import in instanceof interface let new of return static super switch this throw try type typeof var void while yield'
const WORDS: Record<string, string> = {
  js: SCRIPT_WORDS,
  py: 'and as assert async await break class continue def del elif else except finally for from global if import in is lambda not or pass raise return try while with yield',
  sh: 'case do done elif else esac export fi for function if in local return then while cd echo git npm node',
  rs: 'as async await break const continue crate else enum fn for if impl in let loop match mod move mut pub ref return self struct trait type use where while',
  go: 'break case chan const continue default defer else for func go if import interface map package range return select struct switch type var',
}
const ALIASES: Record<string, string> = {
  javascript: 'js',
  mjs: 'js',
  jsx: 'js',
  ts: 'js',
  tsx: 'js',
  typescript: 'js',
  json: 'json',
  python: 'py',
  bash: 'sh',
  shell: 'sh',
  zsh: 'sh',
  rust: 'rs',
  golang: 'go',
}
const COMMENT: Style = { fg: COLOR.steel, italic: true }
const STRING: Style = { fg: COLOR.green }
const NUMBER: Style = { fg: COLOR.amber }
const KEYWORD: Style = { fg: COLOR.violet }
const CALL: Style = { fg: COLOR.blue }

/** Colours one line of code; an unknown language gets the colour of inline code. */
export function highlightLine(code: string, language: string): Line {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase()
  if (name === 'diff') return [{ text: code, style: diffStyle(code) }]
  if (!(name in WORDS) && name !== 'json') return [{ text: code, style: { fg: COLOR.sand } }]
  const words = new Set((WORDS[name] ?? 'true false null').split(' '))
  const comment = name === 'py' || name === 'sh' ? '#.*' : '\\/\\/.*|\\/\\*.*?\\*\\/'
  const pattern = new RegExp(
    `(${comment})|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|\\b(\\d[\\d_.]*)\\b|([A-Za-z_$][\\w$]*)(?=(\\()?)`,
    'g',
  )
  const line: Line = []
  let last = 0
  for (const match of code.matchAll(pattern)) {
    const style = styleOf(match, words)
    if (!style) continue
    if (match.index > last) line.push({ text: code.slice(last, match.index), style: {} })
    line.push({ text: match[0], style })
    last = match.index + match[0].length
  }
  if (last < code.length || line.length === 0) line.push({ text: code.slice(last), style: {} })
  return line
}

function styleOf(match: RegExpMatchArray, words: Set<string>): Style | null {
  if (match[1]) return COMMENT
  if (match[2]) return STRING
  if (match[3]) return NUMBER
  if (match[4] && words.has(match[4])) return KEYWORD
  return match[5] ? CALL : null
}

function diffStyle(code: string): Style {
  if (code.startsWith('+')) return { fg: COLOR.green }
  if (code.startsWith('-')) return { fg: COLOR.red }
  return code.startsWith('@@') ? { fg: COLOR.blue } : {}
}
