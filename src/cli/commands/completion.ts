import { agentNames } from '../../agents/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { COMMANDS, type InputOf, type NamedCommand } from '../specs/index.js'

/** Completion scripts are generated from the command specs. */
export async function run(context: CommandContext, { args }: InputOf<'completion'>): Promise<number> {
  const write = { bash, zsh, fish }[args.shell]
  if (!write) throw new SignalboxError('E_INPUT', `unknown shell "${args.shell}"`, { next: 'use bash, zsh or fish' })
  context.out(write(COMMANDS.filter(command => !command.hidden)))
  return EXIT.ok
}

/** Long and short flags of a command, without their values. */
function flagsOf(command: NamedCommand): string[] {
  return [
    ...(command.options ?? []).flatMap(option => option.flags.split(/,\s*/).map(flag => flag.split(' ')[0]!)),
    '--help',
  ]
}

/** Shell commands that print ids. They start no daemon: a tab key must not. */
const ID_SOURCES = {
  session: idsOf('status', 'ses'),
  approval: idsOf('status', 'apr'),
  run: idsOf('runs', 'run'),
}

function idsOf(command: string, prefix: string): string {
  return `signalbox ${command} --json 2>/dev/null | grep -o '"id":"${prefix}_[0-9a-z]*' | cut -c7-`
}

function sourceOf(command: NamedCommand): string {
  const wanted = command.arguments?.[0]?.completes
  if (wanted === undefined || wanted === 'file' || wanted === 'directory') return ''
  if (wanted === 'agent') return agentNames().join(' ')
  if (wanted === 'command') return COMMANDS.map(({ name }) => name).join(' ')
  return typeof wanted === 'string' ? `$(${ID_SOURCES[wanted]})` : wanted.join(' ')
}

function namesOf({ name, aliases = [] }: NamedCommand): string[] {
  return [name, ...aliases]
}

function bash(commands: readonly NamedCommand[]): string {
  const cases = commands.map(
    command => `    ${namesOf(command).join('|')}) words="${flagsOf(command).join(' ')} ${sourceOf(command)}" ;;`,
  )
  return `# bash completion for signalbox
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) words="${commands.flatMap(namesOf).join(' ')} --help --version" ;;
  esac
  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _signalbox signalbox`
}

function zsh(commands: readonly NamedCommand[]): string {
  const quote = (text: string) => text.replace(/'/g, `'\\''`).replace(/:/g, '\\:')
  const names = commands.map(command => `    '${command.name}:${quote(command.summary)}'`)
  const cases = commands.map(
    command =>
      `    ${namesOf(command).join('|')}) compadd -- ${flagsOf(command).join(' ')} ${sourceOf(command).replace(/^\$\((.*)\)$/, (_, source: string) => `\${(f)"$(${source})"}`)} ;;`,
  )
  return `#compdef signalbox
_signalbox() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  _files
}
compdef _signalbox signalbox`
}

function fish(commands: readonly NamedCommand[]): string {
  const quote = (text: string) => text.replace(/'/g, "\\'")
  const lines = ['# fish completion for signalbox', 'complete -c signalbox -f']
  for (const command of commands) {
    lines.push(`complete -c signalbox -n __fish_use_subcommand -a ${command.name} -d '${quote(command.summary)}'`)
    for (const option of command.options ?? []) {
      const long = /--([\w-]+)/.exec(option.flags)?.[1]
      if (long)
        lines.push(
          `complete -c signalbox -n '__fish_seen_subcommand_from ${namesOf(command).join(' ')}' -l ${long} -d '${quote(option.description)}'`,
        )
    }
    const source = sourceOf(command).replace(/^\$\((.*)\)$/, '($1)')
    if (source)
      lines.push(
        `complete -c signalbox -n '__fish_seen_subcommand_from ${namesOf(command).join(' ')}' -a "${source.replace(/"/g, '\\"')}"`,
      )
  }
  return lines.join('\n')
}
