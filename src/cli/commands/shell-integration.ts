import { EXIT, SignalboxError } from '../../errors/index.js'
import { closestMatch } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

/*
 * OSC 133 marks (FinalTerm). A: a prompt starts. C: a command starts. D;n: it ended with exit code
 * n.
 *
 * Each script can be sourced twice, preserves $?, runs besides the person's own hooks, and writes
 * marks only to a terminal. Marks are printed before the prompt, whose text does not change.
 *
 * bash: PS0 is expanded after a command line is read and before it runs (4.4 and later); a DEBUG
 * trap would run too often and in subshells. PROMPT_COMMAND runs before each prompt; Signalbox's
 * function comes first, so that $? is the exit code of the command.
 */
const BASH = `# Signalbox shell integration for bash: eval "$(signalbox shell-integration bash)"
if [[ $- == *i* && -z "\${__signalbox_marks-}" && ( \${BASH_VERSINFO[0]} -gt 4 || ( \${BASH_VERSINFO[0]} -eq 4 && \${BASH_VERSINFO[1]} -ge 4 ) ) ]]; then
  __signalbox_marks=1
  __signalbox_prompt() {
    local status=$?
    [[ -t 1 ]] && printf '\\033]133;D;%s\\033\\\\\\033]133;A\\033\\\\' "$status"
    return "$status"
  }
  PS0="\${PS0-}"'\\e]133;C\\e\\\\'
  if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == "declare -a"* ]]; then
    PROMPT_COMMAND=(__signalbox_prompt "\${PROMPT_COMMAND[@]}")
  else
    PROMPT_COMMAND="__signalbox_prompt\${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
  fi
fi
`

const ZSH = `# Signalbox shell integration for zsh: eval "$(signalbox shell-integration zsh)"
if [[ -o interactive && -z "\${__signalbox_marks-}" ]]; then
  typeset -g __signalbox_marks=1
  __signalbox_precmd() {
    local code=$?
    [[ -t 1 ]] && printf '\\033]133;D;%s\\033\\\\\\033]133;A\\033\\\\' "$code"
    return $code
  }
  __signalbox_preexec() {
    [[ -t 1 ]] && printf '\\033]133;C\\033\\\\'
  }
  typeset -ga precmd_functions preexec_functions
  precmd_functions=(__signalbox_precmd $precmd_functions)
  preexec_functions+=(__signalbox_preexec)
fi
`

const FISH = `# Signalbox shell integration for fish: signalbox shell-integration fish | source
if status is-interactive; and not set -q __signalbox_marks
    set -g __signalbox_marks 1
    function __signalbox_preexec --on-event fish_preexec
        isatty stdout; and printf '\\033]133;C\\033\\\\'
    end
    function __signalbox_postexec --on-event fish_postexec
        set -l code $status
        isatty stdout; and printf '\\033]133;D;%s\\033\\\\' $code
        return $code
    end
    function __signalbox_prompt --on-event fish_prompt
        set -l code $status
        isatty stdout; and printf '\\033]133;A\\033\\\\'
        return $code
    end
end
`

export const SHELL_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const

export async function run(context: CommandContext, { args: { shell } }: InputOf<'shell-integration'>): Promise<number> {
  const known = Object.keys(SHELL_SCRIPTS)
  const script = Object.hasOwn(SHELL_SCRIPTS, shell) ? SHELL_SCRIPTS[shell as keyof typeof SHELL_SCRIPTS] : undefined
  if (script === undefined) {
    const close = closestMatch(shell, known)
    throw new SignalboxError('E_INPUT', `unknown shell "${shell}"${close ? `; did you mean ${close}?` : ''}`, {
      next: `known: ${known.join(', ')}`,
    })
  }
  context.write(script)
  return EXIT.ok
}
