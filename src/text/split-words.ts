import { SignalboxError } from '../errors/index.js'

/** The words of a command line: quotes and backslashes as in a shell, and no other expansion. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (quote !== null) {
      if (character === quote) quote = null
      else if (character === '\\' && quote === '"' && at + 1 < line.length) word += line[++at]!
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === '\\' && at + 1 < line.length) word = (word ?? '') + line[++at]!
    else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== null) throw new SignalboxError('E_INPUT', `unclosed quote in: ${line}`)
  if (word !== null) words.push(word)
  return words
}
