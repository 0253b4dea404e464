import type { Redirection, ShellCommand, ShellPipeline, ShellScript, ShellWord } from './shell-script.js'

type ShellReading = { script: ShellScript; why?: undefined } | { script: null; why: string }

const SCRIPT_MAX_CHARACTERS = 64 * 1024
const DEPTH_MAX = 16
/** A script with more parts than a person would read is not parsed. */
const WORDS_MAX = 2_000

/** Longest first, so that `&&` is not parsed as two `&`. */
const OPERATORS = ['&&', '||', ';;', '|&', ';', '&', '|', '(', ')', '\n'] as const
const REDIRECTIONS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '>>', '>&', '>|', '<', '>'] as const
/** Keywords; a command follows them. */
const KEYWORDS = new Set([
  '!',
  '{',
  '}',
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'time',
  'esac',
])

class Unreadable extends Error {}

/**
 * Parses a shell command line like a shell, without running or expanding anything. It is used to
 * say what a command would touch, and to recognise one plain command. It follows the POSIX grammar
 * for words, quotes, operators, redirections, here-documents, substitutions and groups, plus bash's
 * `<( )`, `<<<`, `&>` and `$' '`. When a text cannot be parsed to its end with certainty, the
 * result is `null` and a reason; a caller must treat that as unknown, never as harmless.
 */
export function readShell(text: string): ShellReading {
  if (text.length > SCRIPT_MAX_CHARACTERS) return { script: null, why: 'it is too long to be read' }
  try {
    const reader = new Reader(text, 0)
    const script = reader.script(null)
    return { script }
  } catch (error) {
    if (error instanceof Unreadable) return { script: null, why: error.message }
    throw error
  }
}

class Reader {
  readonly #text: string
  readonly #depth: number
  #at = 0
  #words = 0
  #pendingBodies: { redirection: Redirection; end: string; isIndented: boolean }[] = []

  constructor(text: string, depth: number) {
    if (depth > DEPTH_MAX) throw new Unreadable('it is nested too deeply')
    this.#text = text
    this.#depth = depth
  }

  /** Up to `close`, or to the end of the text when that is null. */
  script(close: ')' | null): ShellScript {
    const script: ShellScript = { pipelines: [], operators: [] }
    let pipeline: ShellPipeline = []
    const endPipeline = () => {
      if (pipeline.length > 0) script.pipelines.push(pipeline)
      pipeline = []
    }
    let groups = 0
    /** The number of operators before the last command: operators after it join nothing. */
    let joining = 0
    const finish = (): ShellScript => {
      endPipeline()
      // A `;` at the end and empty lines join nothing either.
      const dropLines = () => {
        while (script.operators.length > joining && script.operators.at(-1) === '\n') script.operators.pop()
      }
      dropLines()
      if (script.operators.length > joining && script.operators.at(-1) === ';') script.operators.pop()
      return script
    }
    for (;;) {
      const command = this.#command()
      if (command.words.length + command.assignments.length + command.redirections.length > 0) {
        pipeline.push(command)
        joining = script.operators.length
      }
      const operator = this.#operator()
      if (operator === null) {
        if (close !== null) throw new Unreadable('a bracket is not closed')
        if (groups > 0) throw new Unreadable('a group is not closed')
        if (this.#pendingBodies.length > 0) throw new Unreadable('a here-document does not end')
        return finish()
      }
      if (operator === '(') groups++
      if (operator === ')') {
        if (groups === 0 && close === ')') return finish()
        if (groups === 0) throw new Unreadable('a bracket is closed that was not opened')
        groups--
      }
      if (operator !== '|' && operator !== '|&') endPipeline()
      if (operator !== '\n' || script.pipelines.length > 0) script.operators.push(operator)
    }
  }

  #command(): ShellCommand {
    const command: ShellCommand = { assignments: [], words: [], redirections: [] }
    for (;;) {
      this.#skipBlanks()
      if (this.#at >= this.#text.length || this.#peek(OPERATORS) !== null) {
        // `<(` and `&>` start like operators, but are not.
        if (this.#peek(REDIRECTIONS) === null) return command
      }
      const redirection = this.#redirection()
      if (redirection) {
        command.redirections.push(redirection)
        continue
      }
      const word = this.#word()
      if (++this.#words > WORDS_MAX) throw new Unreadable('it has too many parts')
      const isFirst = command.words.length === 0
      if (isFirst && !word.isQuoted && KEYWORDS.has(word.text) && !this.#isTimeWithOptions(word)) {
        // Kept as a separate command, so that the whole does not count as one plain command.
        command.assignments.push({ ...word, isExpanded: true })
      } else if (isFirst && isAssignment(word)) command.assignments.push(word)
      else command.words.push(word)
    }
  }

  /** `time -p rm x`: the options are not the program. It is read as the program `time`. */
  #isTimeWithOptions({ text }: ShellWord): boolean {
    return text === 'time' && /^[ \t]+-/.test(this.#text.slice(this.#at, this.#at + 100))
  }

  #redirection(): Redirection | null {
    const number = /^\d+(?=[<>])|^\{\w+\}(?=[<>])/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0] ?? ''
    const start = this.#at
    this.#at += number.length
    const operator = this.#peek(REDIRECTIONS)
    const isProcess = (operator === '<' || operator === '>') && this.#text[this.#at + 1] === '('
    if (operator === null || isProcess) {
      this.#at = start
      return null
    }
    this.#at += operator.length
    this.#skipBlanks()
    if (this.#at >= this.#text.length || this.#peek(OPERATORS) !== null)
      throw new Unreadable('a redirection has no target')
    const target = this.#word()
    const redirection: Redirection = { operator, target }
    if (operator === '<<' || operator === '<<-')
      this.#pendingBodies.push({ redirection, end: target.text, isIndented: operator === '<<-' })
    return redirection
  }

  #word(): ShellWord {
    const word: ShellWord = { text: '', isExpanded: false, isGlob: false, isQuoted: false, scripts: [] }
    const start = this.#at
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!
      if (character === '\\') this.#escape(word)
      else if (character === "'") this.#singleQuotes(word)
      else if (character === '"') this.#doubleQuotes(word)
      else if (character === '$' || character === '`') this.#expansion(word, false)
      else if ((character === '<' || character === '>') && this.#text[this.#at + 1] === '(') {
        this.#at += 2
        this.#inner(word, ')')
        word.text += `${character}(…)`
      } else if (/[\s;&|()<>]/.test(character)) break
      else {
        if (character === '*' || character === '?' || character === '[') word.isGlob = true
        if (character === '{' && this.#isBraceExpansion()) word.isExpanded = true
        if (character === '~' && this.#at === start) word.isExpanded = true
        word.text += character
        this.#at++
      }
    }
    if (this.#at === start) throw new Unreadable(`it has a ${JSON.stringify(this.#text[start])} at an unexpected place`)
    return word
  }

  #escape(word: ShellWord): void {
    const next = this.#text[this.#at + 1]
    if (next === undefined) throw new Unreadable('it ends in a backslash')
    if (next !== '\n') word.text += next
    word.isQuoted = true
    this.#at += 2
  }

  #singleQuotes(word: ShellWord): void {
    const end = this.#text.indexOf("'", this.#at + 1)
    if (end < 0) throw new Unreadable('a quote is not closed')
    word.text += this.#text.slice(this.#at + 1, end)
    word.isQuoted = true
    this.#at = end + 1
  }

  #doubleQuotes(word: ShellWord): void {
    word.isQuoted = true
    this.#at++
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) throw new Unreadable('a quote is not closed')
      if (character === '"') break
      if (character === '$' || character === '`') this.#expansion(word, true)
      else if (character === '\\' && /["$`\\\n]/.test(this.#text[this.#at + 1] ?? '')) this.#escape(word)
      else {
        word.text += character
        this.#at++
      }
    }
    this.#at++
  }

  #expansion(word: ShellWord, isQuoted: boolean): void {
    const rest = this.#text.slice(this.#at, this.#at + 3)
    if (rest[0] === '`') return this.#backQuotes(word)
    if (rest.startsWith('$((')) return this.#arithmetic(word)
    if (rest.startsWith('$(')) {
      this.#at += 2
      this.#inner(word, ')')
      word.text += '$(…)'
      return
    }
    if (rest.startsWith('${')) return this.#parameter(word)
    if (!isQuoted && rest.startsWith("$'")) return this.#ansiQuotes(word)
    if (!isQuoted && rest.startsWith('$"')) {
      this.#at++
      return this.#doubleQuotes(word)
    }
    // A dollar without a name is a plain dollar; treating it as an expansion is the safe choice.
    word.isExpanded = true
    word.text += '$'
    this.#at++
  }

  /** `$'…'` may encode any character; it is not decoded, so the word is unknown. */
  #ansiQuotes(word: ShellWord): void {
    let end = this.#at + 2
    while (end < this.#text.length && this.#text[end] !== "'") end += this.#text[end] === '\\' ? 2 : 1
    if (end >= this.#text.length) throw new Unreadable('a quote is not closed')
    word.text += this.#text.slice(this.#at, end + 1)
    word.isExpanded = true
    word.isQuoted = true
    this.#at = end + 1
  }

  #backQuotes(word: ShellWord): void {
    let end = this.#at + 1
    while (end < this.#text.length && this.#text[end] !== '`') end += this.#text[end] === '\\' ? 2 : 1
    if (end >= this.#text.length) throw new Unreadable('a back-quote is not closed')
    const inner = this.#text.slice(this.#at + 1, end).replace(/\\([\\`$])/g, '$1')
    word.scripts.push(new Reader(inner, this.#depth + 1).script(null))
    word.isExpanded = true
    word.text += '`…`'
    this.#at = end + 1
  }

  #arithmetic(word: ShellWord): void {
    const end = this.#text.indexOf('))', this.#at)
    if (end < 0) throw new Unreadable('an arithmetic expansion is not closed')
    const inner = this.#text.slice(this.#at, end + 2)
    // An array index can contain a command: only plain sums are parsed.
    if (!/^\$\(\([\w\s+\-*/%()<>=!&|^~?:,]*\)\)$/.test(inner))
      throw new Unreadable('it has an arithmetic expansion that is not read')
    word.text += inner
    word.isExpanded = true
    this.#at = end + 2
  }

  /** `${name}` and its forms; nested ones and transforms (`@P` runs) are not parsed. */
  #parameter(word: ShellWord): void {
    const end = this.#text.indexOf('}', this.#at)
    if (end < 0) throw new Unreadable('an expansion is not closed')
    const inner = this.#text.slice(this.#at + 2, end)
    if (/[$`(\\'"{]|@|!/.test(inner)) throw new Unreadable('it has an expansion that is not read')
    word.text += this.#text.slice(this.#at, end + 1)
    word.isExpanded = true
    this.#at = end + 1
  }

  #inner(word: ShellWord, close: ')'): void {
    const reader = new Reader(this.#text.slice(this.#at), this.#depth + 1)
    word.scripts.push(reader.script(close))
    word.isExpanded = true
    this.#at += reader.#at
  }

  #operator(): string | null {
    this.#skipBlanks()
    if (this.#at >= this.#text.length) return null
    const operator = this.#peek(OPERATORS)
    if (operator === null)
      throw new Unreadable(`it has a ${JSON.stringify(this.#text[this.#at])} at an unexpected place`)
    this.#at += operator.length
    if (operator === '\n') this.#readBodies()
    return operator
  }

  #readBodies(): void {
    for (const { redirection, end, isIndented } of this.#pendingBodies.splice(0)) {
      const lines: string[] = []
      for (;;) {
        if (this.#at > this.#text.length) throw new Unreadable('a here-document does not end')
        const stop = this.#text.indexOf('\n', this.#at)
        const line = this.#text.slice(this.#at, stop < 0 ? undefined : stop)
        this.#at = stop < 0 ? this.#text.length + 1 : stop + 1
        if ((isIndented ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      redirection.body = lines.join('\n')
    }
    this.#at = Math.min(this.#at, this.#text.length)
  }

  #skipBlanks(): void {
    for (;;) {
      const character = this.#text[this.#at]
      if (character === ' ' || character === '\t') this.#at++
      else if (character === '\\' && this.#text[this.#at + 1] === '\n') this.#at += 2
      else if (character === '#') {
        const end = this.#text.indexOf('\n', this.#at)
        this.#at = end < 0 ? this.#text.length : end
      } else return
    }
  }

  #peek(candidates: readonly string[]): string | null {
    return candidates.find(candidate => this.#text.startsWith(candidate, this.#at)) ?? null
  }

  #isBraceExpansion(): boolean {
    const end = this.#text.indexOf('}', this.#at)
    return end > 0 && /,|\.\./.test(this.#text.slice(this.#at, end))
  }
}

function isAssignment(word: ShellWord): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=/.test(word.text)
}
