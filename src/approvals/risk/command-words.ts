import { COMMAND_RULES, type CommandRule, WRAPPERS } from './command-rules.js'
import type { ShellCommand, ShellWord } from './shell-script.js'

/** More nested wrappers than this are not followed. */
const WRAPPERS_MAX = 8

export function ruleFor(name: string, args: readonly ShellWord[]): CommandRule | null {
  const texts = args.map(word => word.text)
  return COMMAND_RULES.find(rule => rule.names.includes(name) && fits(rule, name, texts)) ?? null
}

function fits({ sub, only, unless }: CommandRule, name: string, args: readonly string[]): boolean {
  if (sub && !beginsWith(name === 'git' ? withoutGitOptions(args) : args, sub)) return false
  if (only && !only.some(option => hasOption(args, option))) return false
  return !unless?.some(option => hasOption(args, option))
}

/** Whether the words of `sub` follow in order, options aside, unless `sub` itself is an option. */
function beginsWith(args: readonly string[], sub: readonly string[]): boolean {
  const words = sub[0]!.startsWith('-') ? args : args.filter(arg => !arg.startsWith('-'))
  return sub.every((word, index) => words[index] === word)
}

/** `git -C dir -c key=value status`: these options take a value that is not the subcommand. */
function withoutGitOptions(args: readonly string[]): string[] {
  const rest = [...args]
  while (rest[0] === '-C' || rest[0] === '-c') rest.splice(0, 2)
  return rest
}

function hasOption(args: readonly string[], option: string): boolean {
  if (/^-[A-Za-z]$/.test(option))
    return args.some(arg => arg === option || (/^-[A-Za-z]+$/.test(arg) && arg.includes(option[1]!)))
  return args.some(arg => arg === option || (option.startsWith('--') && arg.startsWith(`${option}=`)))
}

export function behindWrapper(
  args: readonly ShellWord[],
  { optionsWithValue, leadingWords }: { optionsWithValue: readonly string[]; leadingWords: number },
): ShellWord[] {
  let index = 0
  while (index < args.length && args[index]!.text.startsWith('-')) {
    if (args[index]!.text === '--') {
      index++
      break
    }
    index += optionsWithValue.includes(args[index]!.text) ? 2 : 1
  }
  return args.slice(index + leadingWords)
}

/** The words as a command, with leading assignments: `env A=1 cmd`. */
export function split(words: readonly ShellWord[]): ShellCommand {
  const start = words.findIndex(word => !/^\w+=/.test(word.text))
  const end = start < 0 ? words.length : start
  return { assignments: words.slice(0, end), words: words.slice(end), redirections: [] }
}

export function endOfExec(texts: readonly string[], from: number): number {
  const end = texts.findIndex((text, index) => index >= from && (text === ';' || text === '+'))
  return end < 0 ? texts.length : end
}

/** The program behind wrappers: `sudo -E bash` is bash. */
export function programOf(command: ShellCommand): string {
  let words: readonly ShellWord[] = command.words
  for (let count = 0; count < WRAPPERS_MAX; count++) {
    const name = baseName(words[0]?.text ?? '')
    const wrapper = wrapperOf(name)
    if (!wrapper) return name
    words = split(behindWrapper(words.slice(1), wrapper)).words
  }
  return ''
}

export function wrapperOf(name: string) {
  return Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
