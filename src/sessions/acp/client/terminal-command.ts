import { isAbsolute } from 'node:path'
import { findExecutable } from '../../../process/index.js'

/** A command as the agent names it. */
export interface TerminalCommand {
  command: string
  args: readonly string[]
  env: readonly { name: string; value: string }[]
}

/** No input, and one stream of output. */
const RUN = 'exec "$@" </dev/null 2>&1'
const SYSTEM_PATH = '/usr/bin:/bin'

/**
 * The program that runs the command. Agents send either a program with arguments, or one line for a
 * shell without any: the protocol does not say which.
 *
 * The agent's variables are set by `env`, inside: as variables of the first program they would
 * reach the one that marks the processes of agents, and could load code into it before the mark is
 * set.
 */
export function terminalProgram({ command, args, env }: TerminalCommand): { file: string; args: string[] } {
  const isProgram = args.length > 0 || (isAbsolute(command) && findExecutable(command, { path: '', cwd: '/' }) !== null)
  const wanted = isProgram ? [command, ...args] : [shell(), '-c', command]
  const run = ['/bin/sh', '-c', RUN, 'sh', ...wanted]
  const variables = env.map(({ name, value }) => `${name}=${value}`)
  return variables.length === 0
    ? { file: run[0]!, args: run.slice(1) }
    : { file: '/usr/bin/env', args: [...variables, ...run] }
}

/** As a person reads it. */
export function commandLine({ command, args }: Pick<TerminalCommand, 'command' | 'args'>): string {
  return [command, ...args.map(quoted)].join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Lines of agents are written for bash. */
function shell(): string {
  return findExecutable('bash', { path: SYSTEM_PATH, cwd: '/' }) ?? '/bin/sh'
}
