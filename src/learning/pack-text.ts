import type { LearnedEntry } from './entries.js'

export interface PackHead {
  agent: string
  /** There is no other pack of this agent: everything else is read by structure. */
  isAlone: boolean
  /** What was learned from, for the comment at the top. */
  about: string
}

/** A pack file with these entries. */
export function packText({ agent, isAlone, about }: PackHead, entries: readonly LearnedEntry[]): string {
  const head = [
    `# ${agent}: learned by \`signalbox packs learn\` ${about}.`,
    'pack = 1',
    `agent = ${quote(agent)}`,
    ...(isAlone ? ['base = "structure"', `detect = { argv0 = [${quote(agent)}] }`] : []),
  ]
  const of = <List extends LearnedEntry['list']>(list: List) =>
    entries.filter((entry): entry is Extract<LearnedEntry, { list: List }> => entry.list === list)
  const lists = (['blocks', 'terminators', 'chrome'] as const).flatMap(list =>
    of(list).length === 0
      ? []
      : ['', `${list} = [`, ...of(list).map(entry => `  { ${fields(entry).join(', ')} },`), ']'],
  )
  const rules = of('rule').flatMap(entry => ['', '[[rule]]', ...fields(entry)])
  return `${[...head, ...lists, ...rules].join('\n')}\n`
}

function fields({ list: _, ...entry }: LearnedEntry): string[] {
  return Object.entries(entry).flatMap(([name, value]) => (value === undefined ? [] : [`${name} = ${toToml(value)}`]))
}

function toToml(value: string | number | boolean): string {
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Patterns are written as they are, where TOML allows it. */
function quote(text: string): string {
  if (/^[\w .-]*$/.test(text)) return `"${text}"`
  return /['\n]/.test(text) ? JSON.stringify(text) : `'${text}'`
}
