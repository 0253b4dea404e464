import { visibleText } from '../../text/index.js'
import {
  CHECK_OPTIONS,
  CHECK_VARIABLES,
  type CommandRule,
  DOWNLOADERS,
  EXECUTION_VARIABLES,
  INTERPRETERS,
  SHELLS,
} from './command-rules.js'
import { baseName, behindWrapper, endOfExec, programOf, ruleFor, split, wrapperOf } from './command-words.js'
import { type PathContext, ratePath, resolvePath } from './path.js'
import type { Reason } from './reason.js'
import { allCommands, type ShellCommand, type ShellScript, type ShellWord, scriptsIn } from './shell-script.js'
import { readShell } from './shell-words.js'

const DEPTH_MAX = 8

/** Why running this shell script is risky. No reason means that it only reads or checks. */
export function rateCommand(text: string, context: PathContext, depth = 0): Reason[] {
  if (depth > DEPTH_MAX) return [{ level: 'elevated', text: 'nested commands, too deep to be parsed' }]
  const { script, why } = readShell(text)
  if (!script) return [{ level: 'elevated', text: `the command could not be parsed: ${why}` }, ...rateFragments(text)]
  if (script.pipelines.length === 0) return [{ level: 'elevated', text: 'the command is empty' }]
  return rateScript(script, context, depth)
}

/** Why running a program with these arguments, without a shell, is risky. */
export function rateArgv(argv: readonly string[], context: PathContext): Reason[] {
  if (argv.length === 0) return [{ level: 'elevated', text: 'the command is empty' }]
  const words = argv.map(text => ({ text, isExpanded: false, isGlob: false, isQuoted: true, scripts: [] }))
  return rateSimple({ assignments: [], words, redirections: [] }, context, 0)
}

/** A script that cannot be parsed is searched for words that are high by themselves. */
function rateFragments(text: string): Reason[] {
  const words = new Set(text.split(/[\s;&|()<>"'`$]+/))
  const telling = ['sudo', 'doas', 'eval', 'mkfs', 'shred', 'dd'].filter(word => words.has(word))
  const isDeleting = words.has('rm') && /\s-\w*[rR]/.test(text)
  return [...telling, ...(isDeleting ? ['rm -r'] : [])].map(word => ({
    level: 'high' as const,
    text: `the command could not be parsed, and names ${word}`,
  }))
}

function rateScript(script: ShellScript, context: PathContext, depth: number): Reason[] {
  const reasons: Reason[] = []
  const count = script.pipelines.reduce((sum, pipeline) => sum + pipeline.length, 0)
  if (count > 1 || script.operators.length > 0)
    reasons.push({ level: 'elevated', text: `${count > 1 ? `${count} commands` : 'a command'} joined by operators` })
  let { cwd } = context
  for (const pipeline of script.pipelines) {
    if (runsDownload(pipeline)) reasons.push({ level: 'high', text: 'runs a download without showing it' })
    for (const command of pipeline) {
      const here = { ...context, cwd }
      reasons.push(...rateSimple(command, here, depth))
      for (const inner of scriptsIn(command)) {
        reasons.push({ level: 'elevated', text: 'uses the output of another command' })
        reasons.push(...rateScript(inner, here, depth + 1))
      }
      cwd = directoryAfter(command, here)
    }
  }
  return reasons
}

function rateSimple(command: ShellCommand, context: PathContext, depth: number): Reason[] {
  const reasons = [...rateAssignments(command.assignments), ...rateRedirections(command, context, depth)]
  const [first, ...args] = command.words
  if (!first) return reasons
  if (first.isExpanded || first.isGlob)
    return [...reasons, { level: 'elevated', text: 'the program is only known when the command runs' }]
  const name = baseName(first.text)
  const rule = ruleFor(name, args)
  if (rule && rule.level !== 'low') reasons.push({ level: rule.level, text: `${rule.why} (${shown(name)})` })
  if (!rule && !isTransparent(name)) reasons.push({ level: 'elevated', text: `runs ${shown(name)}` })
  if (first.text.includes('/')) reasons.push(...rateProgram(first.text, context))
  for (const { text } of args) {
    if (CHECK_OPTIONS.has(text) || CHECK_OPTIONS.has(text.replace(/=.*$/, '')))
      reasons.push({ level: 'high', text: `disables checks: ${shown(text)}` })
  }
  reasons.push(...ratePaths(name, args, rule, context))
  // `python -m pytest` is a known check, not a script.
  if (rule?.level !== 'low') reasons.push(...rateInner(name, args, context, depth))
  if (args.some(word => word.isExpanded) && !rule?.access)
    reasons.push({ level: 'elevated', text: 'parts of the command are only known when it runs' })
  return reasons
}

/** The commands inside: after a wrapper, in `sh -c`, in `eval`, in `find -exec`. */
function rateInner(name: string, args: readonly ShellWord[], context: PathContext, depth: number): Reason[] {
  const texts = args.map(word => word.text)
  if (name === 'eval' || name === 'source' || name === '.') {
    const what: Reason = {
      level: 'elevated',
      text: name === 'eval' ? 'runs text as a command' : 'runs a file in this shell',
    }
    return name === 'eval' ? [what, ...rateCommand(texts.join(' ') || ':', context, depth + 1)] : [what]
  }
  if (INTERPRETERS.has(name)) return rateInterpreter(name, args, context, depth)
  if (name === 'find') {
    const start = texts.findIndex(text => /^-(exec|execdir|ok|okdir)$/.test(text))
    const isDeleting = texts.includes('-delete')
    const inner = start < 0 ? [] : args.slice(start + 1, endOfExec(texts, start + 1))
    return [
      ...(isDeleting ? [{ level: 'high' as const, text: 'deletes everything it finds' }] : []),
      ...(inner.length > 0 ? rateWithUnknownFiles(inner, context, depth) : []),
    ]
  }
  const wrapper = wrapperOf(name)
  if (!wrapper) return []
  const inner = behindWrapper(args, wrapper)
  const script = scriptOf(name, texts.slice(0, args.length - inner.length), inner)
  if (script !== '') return rateCommand(script, context, depth + 1)
  if (inner.length === 0) return name === 'env' ? [{ level: 'elevated', text: 'shows the environment' }] : []
  return name === 'xargs' ? rateWithUnknownFiles(inner, context, depth) : rateSimple(split(inner), context, depth + 1)
}

/**
 * The text that a wrapper divides into words again: `watch` gives its words to a shell, and
 * `env -S 'rm -r x'` runs the words of its option and those that follow. Empty: it does not.
 */
function scriptOf(name: string, options: readonly string[], inner: readonly ShellWord[]): string {
  const words = inner.map(({ text }) => text).join(' ')
  if (name === 'watch') return words
  const option = name === 'env' ? options.find(text => /^(-[^-]*S|--split-string)/.test(text)) : undefined
  return option === undefined ? '' : `${option.replace(/^(-[^-]*?S|--split-string=?)/, '')} ${words}`.trim()
}

/** A command that gets its files from another one: which files is unknown. */
function rateWithUnknownFiles(inner: readonly ShellWord[], context: PathContext, depth: number): Reason[] {
  const command = split(inner)
  const reasons = rateSimple(command, context, depth + 1)
  const changesFiles = ruleFor(baseName(command.words[0]?.text ?? ''), command.words.slice(1))?.access !== undefined
  return changesFiles
    ? [...reasons, { level: 'high', text: `${shown(command.words[0]!.text)} works on files chosen at run time` }]
    : reasons
}

function rateInterpreter(name: string, args: readonly ShellWord[], context: PathContext, depth: number): Reason[] {
  const flag = args.findIndex(({ text }) => /^-\w*[ce]$/.test(text) || text === '--eval' || text === '-r')
  const code = flag >= 0 ? args[flag + 1] : undefined
  if (!code) return [{ level: 'elevated', text: `runs a script (${shown(name)})` }]
  const what: Reason = { level: 'elevated', text: `runs inline code (${shown(name)})` }
  if (!SHELLS.has(name)) return [what]
  return [what, ...rateCommand(code.text, context, depth + 1)]
}

function rateAssignments(assignments: readonly ShellWord[]): Reason[] {
  return assignments.flatMap((word): Reason[] => {
    const name = /^\w+/.exec(word.text)?.[0] ?? word.text
    if (CHECK_VARIABLES.has(name)) return [{ level: 'high', text: `disables checks: ${shown(word.text)}` }]
    if (EXECUTION_VARIABLES.has(name))
      return [{ level: 'high' as const, text: `changes what other programs run or trust: ${shown(name)}` }]
    return [
      { level: 'elevated' as const, text: word.text.includes('=') ? `sets ${shown(name)}` : 'is a compound command' },
    ]
  })
}

function rateRedirections({ words, redirections }: ShellCommand, context: PathContext, depth: number): Reason[] {
  return redirections.flatMap(({ operator, target, body }) => {
    if (body !== undefined) {
      const isShell = SHELLS.has(baseName(words[0]?.text ?? ''))
      return isShell ? rateCommand(body || ':', context, depth + 1) : []
    }
    if (operator === '<<<' || (/&$/.test(operator) && /^(\d+|-)$/.test(target.text))) return []
    if (target.isExpanded && !target.text.startsWith('~') && target.scripts.length === 0)
      return [{ level: 'elevated' as const, text: 'the files are only known when the command runs' }]
    if (target.scripts.length > 0) return []
    return ratePath(target.text, operator === '<' ? 'read' : 'write', context)
  })
}

function ratePaths(name: string, args: readonly ShellWord[], rule: CommandRule | null, context: PathContext): Reason[] {
  const access = rule?.access ?? 'read'
  const reasons: Reason[] = []
  for (const word of args) {
    if (word.scripts.length > 0) continue
    const isUnknown = (word.isExpanded && !word.text.startsWith('~')) || (word.isGlob && access === 'delete')
    if (isUnknown && access === 'delete' && !word.text.startsWith('-')) {
      reasons.push({ level: 'high', text: `${shown(name)} works on what is chosen at run time: ${shown(word.text)}` })
      continue
    }
    for (const path of pathsIn(word.text, rule?.access !== undefined || name === 'cd')) {
      if (path.includes('$')) continue
      reasons.push(...ratePath(path, access, context))
    }
  }
  return reasons
}

/** The parts of an argument that can be paths; bare names if files are changed. */
function pathsIn(text: string, takesFiles: boolean): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return []
  if (text.startsWith('-')) {
    const value = /^--?[\w-]+=(.+)$/s.exec(text)?.[1] ?? /^-[A-Za-z]([/~.].*)$/s.exec(text)?.[1]
    return value !== undefined && looksLikePath(value) ? [value] : []
  }
  const assigned = /^[\w.-]+=(.+)$/s.exec(text)?.[1]
  if (assigned !== undefined && looksLikePath(assigned)) return [assigned]
  // `user@host:path` is on another machine; git's `rev:path` is in the repository.
  if (looksLikePath(text) || takesFiles || text.startsWith('.')) return [text]
  return isSecretFileName(text) ? [text] : []
}

function looksLikePath(text: string): boolean {
  return text.startsWith('/') || text.startsWith('~') || text === '..' || text.startsWith('../') || text.includes('/')
}

/** A bare name that matters in any directory. */
function isSecretFileName(text: string): boolean {
  return /\.(pem|key|p12|kdbx)$|^id_|^credentials/.test(text)
}

/** A program by its path: inside the project it belongs to it; else to the system. */
function rateProgram(path: string, context: PathContext): Reason[] {
  const whole = resolvePath(path, context)
  const isSystem = whole !== null && /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/.test(whole)
  if (isSystem || whole === null) return []
  return ratePath(path, 'read', context).map(reason => ({
    ...reason,
    text: reason.text.replace(/^reads/, 'runs a program'),
  }))
}

/** A download that reaches an interpreter by a pipe or a substitution. */
function runsDownload(pipeline: readonly ShellCommand[]): boolean {
  const programs = pipeline.map(command => programOf(command))
  const isPiped = programs.some(
    (name, index) => INTERPRETERS.has(name) && programs.slice(0, index).some(before => DOWNLOADERS.has(before)),
  )
  const isInserted = pipeline.some(
    (command, index) =>
      (INTERPRETERS.has(programs[index]!) || ['eval', 'source', '.'].includes(programs[index]!)) &&
      scriptsIn(command)
        .flatMap(allCommands)
        .some(inner => DOWNLOADERS.has(programOf(inner))),
  )
  return isPiped || isInserted
}

function directoryAfter({ words }: ShellCommand, context: PathContext): string | null {
  if (words[0]?.text !== 'cd' && words[0]?.text !== 'pushd') return context.cwd
  const target = words.slice(1).find(word => !word.text.startsWith('-'))
  if (!target) return context.home
  return target.isExpanded && !target.text.startsWith('~') ? null : resolvePath(target.text, context)
}

function isTransparent(name: string): boolean {
  return (
    name === 'cd' ||
    name === ':' ||
    wrapperOf(name) !== undefined ||
    INTERPRETERS.has(name) ||
    name === 'eval' ||
    name === 'source' ||
    name === '.'
  )
}

function shown(text: string): string {
  return visibleText(text, { newlines: 'show', tabs: 'show' })
}
