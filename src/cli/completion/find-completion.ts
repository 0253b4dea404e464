import type { CommandSpec, CompletionKind } from '../specs/command-spec.js'

export interface Candidate {
  word: string
  description?: string
}

/** What fits at the last word of a command line: a kind that is looked up, or these words. */
export type Completion = CompletionKind | readonly Candidate[]

type Commands = readonly (CommandSpec & { name: string })[]

const NOTHING: readonly Candidate[] = []

/**
 * Finds what the last word of a command line can be. `words` are those behind `signalbox`, as far
 * as they are typed; the last one may be empty.
 */
export function findCompletion(commands: Commands, words: readonly string[]): Completion {
  const [name = '', ...before] = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  if (words.length <= 1) return current.startsWith('-') ? PROGRAM_OPTIONS : namesOf(commands)
  const spec = commands.find(command => command.name === name || command.aliases?.includes(name))
  if (!spec) return NOTHING
  // Words behind `--` belong to another program.
  if (before.includes('--')) return spec.rest === undefined ? NOTHING : 'file'
  const options = (spec.options ?? []).map(parseFlags)
  const takingValue = options.find(option => option.isValueRequired && option.names.includes(before.at(-1) ?? ''))
  if (takingValue) return takingValue.choices ?? VALUES[takingValue.value] ?? NOTHING
  if (current.startsWith('-')) return optionsLeft(options, before)
  const position = positionals(options, before).length
  const last = spec.arguments?.at(-1)
  const argument = spec.arguments?.[position] ?? (last?.variadic ? last : undefined)
  if (argument?.completes !== undefined)
    return typeof argument.completes === 'string' ? argument.completes : wordsOf(argument.completes)
  return NOTHING
}

const PROGRAM_OPTIONS: readonly Candidate[] = [
  { word: '--help', description: 'print help' },
  { word: '--version', description: 'print the version' },
]

/** What the value of an option is, by the name that the option gives it. */
const VALUES: Readonly<Record<string, CompletionKind>> = {
  agent: 'agent',
  run: 'run',
  file: 'file',
  cast: 'file',
  path: 'file',
  dir: 'directory',
  directory: 'directory',
}

interface ParsedOption {
  names: string[]
  description: string
  isRepeatable: boolean
  /** An option with a value in brackets is complete without it. */
  isValueRequired: boolean
  /** The name of the value, or an empty text. */
  value: string
  choices: readonly Candidate[] | null
}

function parseFlags({ flags, description, choices, repeatable }: NonNullable<CommandSpec['options']>[number]) {
  const option: ParsedOption = {
    names: flags.split(/,\s*/).map(flag => flag.split(' ')[0]!),
    description,
    isRepeatable: repeatable ?? false,
    isValueRequired: flags.includes('<'),
    value: /<(.+?)>/.exec(flags)?.[1] ?? '',
    choices: choices ? wordsOf(choices) : null,
  }
  return option
}

function optionsLeft(options: readonly ParsedOption[], before: readonly string[]): Candidate[] {
  const left = options.filter(({ names, isRepeatable }) => isRepeatable || !names.some(name => before.includes(name)))
  return [
    ...left.map(({ names, description }) => ({ word: names.at(-1)!, description })),
    { word: '--help', description: 'print help' },
  ]
}

/** The words that are neither an option nor the value of one. */
function positionals(options: readonly ParsedOption[], before: readonly string[]): string[] {
  const takesValue = (word: string | undefined) =>
    options.some(({ isValueRequired, names }) => isValueRequired && names.includes(word ?? ''))
  return before.filter((word, index) => !word.startsWith('-') && !takesValue(before[index - 1]))
}

function namesOf(commands: Commands): Candidate[] {
  return commands.flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map(word => ({ word, description: summary })),
  )
}

function wordsOf(words: readonly string[]): Candidate[] {
  return words.map(word => ({ word }))
}
