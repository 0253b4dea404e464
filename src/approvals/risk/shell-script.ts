/** A parsed shell command line, without expansions. `shell-words.ts` parses it. */
export interface ShellScript {
  pipelines: ShellPipeline[]
  /**
   * The operators between commands: `&&`, `;`, `|`, a newline, `(`. Empty for one plain command.
   */
  operators: string[]
}

/** Commands joined by pipes. */
export type ShellPipeline = ShellCommand[]

export interface ShellCommand {
  assignments: ShellWord[]
  words: ShellWord[]
  redirections: Redirection[]
}

export interface ShellWord {
  /** Without quotes; expansions stay as written. */
  text: string
  /** The shell would expand a part of it: `$x`, `$( )`, a back-quote, `{a,b}`, `~`. */
  isExpanded: boolean
  /** `*`, `?` or `[` outside quotes. */
  isGlob: boolean
  isQuoted: boolean
  /** Scripts inside `$( )`, back-quotes and `<( )`. */
  scripts: ShellScript[]
}

export interface Redirection {
  operator: string
  target: ShellWord
  /** The text of a here-document. */
  body?: string
}

/** Every command of a script, with those inside substitutions. */
export function allCommands(script: ShellScript): ShellCommand[] {
  return script.pipelines.flatMap(pipeline =>
    pipeline.flatMap(command => [command, ...scriptsIn(command).flatMap(allCommands)]),
  )
}

export function scriptsIn(command: ShellCommand): ShellScript[] {
  const words = [...command.assignments, ...command.words, ...command.redirections.map(({ target }) => target)]
  return words.flatMap(word => word.scripts)
}
