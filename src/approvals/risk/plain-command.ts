import { readShell } from './shell-words.js'

/**
 * The words of a text that is one plain command and nothing else, or null. Grants match words, so this is narrower than what a shell would
 * take for one command: any operator, redirection, expansion, bracket, glob, assignment or newline, quoted or not, makes it null. The
 * characters are looked for in the whole text first; the reader then has to agree.
 */
export function plainWords(command: string): string[] | null {
  if (/[;&|<>$`(){}[\]*?~!#\\\n\r\0]/.test(command)) return null
  const { script } = readShell(command)
  if (!script || script.operators.length > 0 || script.pipelines.length !== 1 || script.pipelines[0]!.length !== 1)
    return null
  const { assignments, words, redirections } = script.pipelines[0]![0]!
  if (assignments.length > 0 || redirections.length > 0 || words.length === 0) return null
  if (words.some(word => word.isExpanded || word.isGlob || word.scripts.length > 0)) return null
  return words.map(word => word.text)
}
