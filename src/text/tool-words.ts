/*
 * What an agent's tool call does, in one line: the command, file, pattern or address among its
 * input, not the JSON. Agents name these fields differently.
 */

/** The fields that say most about a call, the best first. */
const SUBJECT_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'url',
  'query',
  'pattern',
  'description',
  'prompt',
]
const VALUE_MAX = 60
const LINE_MAX = 160

/** `Edit src/cart.js`, `Shell npm test`, `Search needle`. */
export function toolLine(tool: string, input: unknown): string {
  const summary = inputWords(input)
  const line = summary === '' ? tool : `${tool} ${summary}`
  return line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line
}

function inputWords(input: unknown): string {
  if (typeof input === 'string') return firstLine(input)
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  for (const name of SUBJECT_FIELDS) {
    const words = commandWords(fields[name])
    if (words !== '') return words
  }
  // Of other tools: short values by their names.
  return Object.entries(fields)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name}: ${shortened(firstLine(String(value)))}`)
    .join(', ')
}

/** A command may be a list of words, with a shell before it: `["bash", "-lc", "npm test"]`. */
function commandWords(value: unknown): string {
  if (typeof value === 'string') return firstLine(value)
  if (!Array.isArray(value) || !value.every(word => typeof word === 'string')) return ''
  const [shell = '', flag = '', script] = value as string[]
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag)
  return firstLine(isShell && script !== undefined ? script : value.join(' '))
}

function firstLine(text: string): string {
  const lines = text.trim().split('\n')
  return lines.length > 1 ? `${lines[0]} …` : (lines[0] ?? '')
}

function shortened(text: string): string {
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text
}
