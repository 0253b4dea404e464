import { COMMANDS, type NamedCommand } from './specs/index.js'

/*
 * The lists of commands: a short one with what people do daily, and a long one with everything.
 */

const GROUPS: Readonly<Record<NamedCommand['group'], string>> = {
  everyday: 'Every day',
  sessions: 'Sessions',
  approvals: 'Approvals',
  runs: 'Runs',
  screens: 'Screens',
  setup: 'Set-up',
}
const WIDTH_MAX = 100
/** The least room that a description gets beside its command. */
const DESCRIPTION_MIN = 30

export function helpColumns(): number {
  return Math.min(WIDTH_MAX, process.stdout.columns || 80)
}

export function shortHelp(columns: number): string {
  const daily = COMMANDS.filter(command => command.daily)
  return [
    'Usage: signalbox [command] [options]',
    '',
    twoColumns([['signalbox', 'the cockpit: what needs you, and what is running'], ...daily.map(named)], columns),
    '',
    twoColumns(
      [
        ['signalbox help <command>', 'options and examples of a command'],
        ['signalbox help --all', `all ${COMMANDS.filter(command => !command.hidden).length} commands`],
      ],
      columns,
    ),
    '',
  ].join('\n')
}

export function longHelp(columns: number): string {
  const shown = COMMANDS.filter(command => !command.hidden)
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const rows = shown.filter(command => command.group === group).map(named)
    return `${title}:\n${twoColumns(rows, columns)}\n`
  })
  return ['Usage: signalbox [command] [options]', '', ...groups, 'signalbox help <command> prints its options.'].join(
    '\n',
  )
}

/** Rows of a command and its meaning; long meanings wrap below themselves. */
export function twoColumns(rows: readonly (readonly [left: string, right: string])[], columns: number): string {
  const longest = Math.max(...rows.map(([left]) => left.length))
  const width = Math.min(longest, Math.max(columns - DESCRIPTION_MIN - 4, 10))
  return rows
    .flatMap(([left, right]) => {
      const isOver = left.length > width
      const lines = wrapText(right, columns - width - 4)
      const first = isOver ? [`  ${left}`] : [`  ${left.padEnd(width)}  ${lines.shift() ?? ''}`]
      return [...first, ...lines.map(line => `${' '.repeat(width + 4)}${line}`)]
    })
    .join('\n')
}

export function wrapText(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

function named({ name, aliases = [], summary }: NamedCommand): readonly [string, string] {
  return [[name, ...aliases].join(', '), summary]
}
