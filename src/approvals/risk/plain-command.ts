import { readShell } from './shell-words.js'

/**
 * The words of a text that is one plain command, or null. Grants match words, so this is stricter
 * than a shell: any operator, redirection, expansion, bracket, glob, assignment or newline, quoted
 * or not, gives null. The whole text is checked for these characters first; then the parser has to
 * agree.
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
