import type { Span } from './diff-lines'

export interface Token extends Span {
  kind: 'keyword' | 'string' | 'comment' | 'number'
}

const KEYWORDS = new Set(
  `abstract as async await break case catch class const continue def default defer del do elif else enum except export
  extends false final finally fn for from func function go if impl implements import in interface is let loop match mod
  module mut namespace new nil None not null of or package pass private protected pub public raise readonly return self
  static struct super switch then this throw trait True true False try type typeof undefined use var void where while
  with yield`.split(/\s+/),
)

/** Names of files whose comments begin with `#`. */
const HASH = /(\.(py|rb|sh|bash|zsh|ya?ml|toml|tf|pl|r|ex|exs|nix|dockerfile|gitignore)|Dockerfile|Makefile)$/i
const PLAIN = /\.(md|txt|csv|log|lock)$/i

const COMMON = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|\b(\d[\w.]*)\b|\b([A-Za-z_]\w*)\b/y

/**
 * Comments, strings, numbers and keywords of one line of code. It knows no language: it is a help
 * for the eye, and what it does not recognise stays plain.
 */
export function tokensOf(line: string, file: string): Token[] {
  if (PLAIN.test(file) || line.length > 2_000) return []
  const comment = HASH.test(file) ? '#' : '//'
  const tokens: Token[] = []
  let at = 0
  if (/^\s*(\*|\/\*)/.test(line) && comment === '//') return [{ kind: 'comment', from: 0, to: line.length }]
  while (at < line.length) {
    if (line.startsWith(comment, at) && (at === 0 || /\s/.test(line[at - 1]!))) {
      tokens.push({ kind: 'comment', from: at, to: line.length })
      break
    }
    COMMON.lastIndex = at
    const match = COMMON.exec(line)
    if (!match) {
      at++
      continue
    }
    const to = at + match[0].length
    if (match[1] !== undefined) tokens.push({ kind: 'string', from: at, to })
    else if (match[2] !== undefined) tokens.push({ kind: 'number', from: at, to })
    else if (KEYWORDS.has(match[3]!)) tokens.push({ kind: 'keyword', from: at, to })
    at = to
  }
  return tokens
}

/** The tokens of a line as styles of the page. */
export function tokenStyles(line: string, file: string): (Span & { class: string })[] {
  return tokensOf(line, file).map(({ from, to, kind }) => ({ from, to, class: `tok-${kind}` }))
}
