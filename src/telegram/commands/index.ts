import { type Asker, type Desk, needRole } from '../command-services.js'
import type { Presses } from '../incoming/button-handler.js'
import type { Files } from '../incoming/file-transfers.js'
import type { Words } from '../incoming/incoming-text.js'
import type { ChatKind } from '../incoming/parse-update.js'
import { LOOK_COMMANDS } from './reading-commands.js'
import { RUN_COMMANDS } from './run-commands.js'
import { SESSION_COMMANDS } from './session-commands.js'
import { SETTING_COMMANDS } from './settings-commands.js'
import type { Starter } from './start-wizard.js'

/** What a command can use. */
export interface CommandCall {
  desk: Desk
  words: Words
  starter: Starter
  files: Files
  presses: Presses
  to: Asker
  /** What stands behind the command, untouched. */
  rest: string
  /** How many strangers tried. */
  knocks(): Promise<number>
}

export interface Command {
  summary: string
  role: 'viewer' | 'approver' | 'owner'
  /** Also listed in groups. */
  isForGroups?: boolean
  run(call: CommandCall): Promise<string>
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...SESSION_COMMANDS,
  ...RUN_COMMANDS,
  ...LOOK_COMMANDS,
  ...SETTING_COMMANDS,
}

/** Other names of the same. */
const ALIASES: Readonly<Record<string, string>> = { exit: 'stop', help: 'start' }

export function commandOf(name: string): Command | null {
  const real = ALIASES[name] ?? name
  return Object.hasOwn(COMMANDS, real) ? COMMANDS[real]! : null
}

/** @throws SignalboxError in words for the chat */
export async function runCommand(command: Command, call: CommandCall): Promise<string> {
  if (command.role !== 'viewer') needRole(call.to.person, command.role)
  return command.run(call)
}

/** What `setMyCommands` is told for a kind of chat. */
export function commandList(kind: ChatKind): { command: string; description: string }[] {
  return Object.entries(COMMANDS)
    .filter(([, { isForGroups }]) => kind === 'private' || isForGroups)
    .map(([command, { summary }]) => ({ command, description: summary }))
}
