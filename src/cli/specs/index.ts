/*
 * Every command as data: summary, arguments, options, examples. Help, completion, the reference
 * page, the man page and the types of a command's input come from here. A file for each group;
 * command-spec.ts has the types.
 */

import { APPROVAL_COMMANDS } from './approval-commands.js'
import type { CommandSpec, InputOfSpec } from './command-spec.js'
import { EVERYDAY_COMMANDS } from './everyday-commands.js'
import { GRAPH_COMMANDS } from './graph-commands.js'
import { PIPELINE_COMMANDS } from './pipeline-commands.js'
import { ONESHOT_COMMANDS, RUN_COMMANDS } from './run-commands.js'
import { SCREEN_COMMANDS } from './screen-commands.js'
import { SESSION_COMMANDS } from './session-commands.js'
import { SETUP_COMMANDS } from './setup-commands.js'
import { UPKEEP_COMMANDS } from './upkeep-commands.js'
import { WORKER_COMMANDS } from './worker-commands.js'

const SPECS = {
  ...EVERYDAY_COMMANDS,
  ...SESSION_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...ONESHOT_COMMANDS,
  ...PIPELINE_COMMANDS,
  ...GRAPH_COMMANDS,
  ...RUN_COMMANDS,
  ...SCREEN_COMMANDS,
  ...SETUP_COMMANDS,
  ...UPKEEP_COMMANDS,
  ...WORKER_COMMANDS,
}

export type CommandName = keyof typeof SPECS

/**
 * What the command gets, typed by its spec: `run(context, { args, options }: InputOf<'approve'>)`.
 */
export type InputOf<Name extends CommandName> = InputOfSpec<(typeof SPECS)[Name]>

export interface NamedCommand extends CommandSpec {
  name: CommandName
}

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly NamedCommand[] = Object.entries<CommandSpec>(SPECS).map(([name, spec]) => ({
  ...spec,
  name: name as CommandName,
}))
