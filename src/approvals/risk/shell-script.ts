/** A shell command line as it was split, nothing expanded. `shell-words.ts` reads texts into it. */
export interface ShellScript {
  pipelines: Pipeline[]
  /** What joins or groups commands: `&&`, `;`, `|`, a newline, `(`. Empty for one plain command. */
  operators: string[]
}

/** Commands joined by pipes. */
export type Pipeline = ShellCommand[]

export interface ShellCommand {
  assignments: ShellWord[]
  words: ShellWord[]
  redirections: Redirection[]
}

export interface ShellWord {
  /** Quotes removed; expansions stay as they are written. */
  text: string
  /** Something in it is worked out by the shell: `$x`, `$( )`, a back-quote, `{a,b}`, `~`. */
  isExpanded: boolean
  /** `*`, `?` or `[` outside of quotes. */
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
