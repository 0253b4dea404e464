/*
 * The commands of the bot.
 *
 * To add one: an entry in one of the four files of this folder, by its topic. Its key is the name
 * after the slash; `summary` is the text in Telegram's menu, `role` who may use it, and `run` does
 * it with what `CommandCall` offers. Nothing else knows the names of commands: the menu, the role
 * check and the routing follow from the entry. An unknown `/x` goes to the agent.
 *
 * `run` replies with `services.reply` and returns a few words for the log. It throws a
 * `SignalboxError` for a refusal, whose sentence and `next` are sent to the chat. A button needs an
 * entry in `ButtonAction` (incoming/button-action.ts) and its case in `ButtonHandler`.
 */

import { type CommandServices, type Requester, requireRole } from '../command-services.js'
import type { ButtonHandler } from '../incoming/button-handler.js'
import type { FileTransfers } from '../incoming/file-transfers.js'
import type { IncomingText } from '../incoming/incoming-text.js'
import type { ChatKind } from '../incoming/parse-update.js'
import { READING_COMMANDS } from './reading-commands.js'
import { RUN_COMMANDS } from './run-commands.js'
import { SESSION_COMMANDS } from './session-commands.js'
import { SETTINGS_COMMANDS } from './settings-commands.js'
import type { StartWizard } from './start-wizard.js'

/** What a command can use. */
export interface CommandCall {
  services: CommandServices
  texts: IncomingText
  wizard: StartWizard
  files: FileTransfers
  buttons: ButtonHandler
  to: Requester
  /** The text after the command, unchanged. */
  rest: string
  /** How many messages of unpaired accounts were refused. */
  refusedCount(): Promise<number>
}

export interface BotCommand {
  summary: string
  role: 'viewer' | 'approver' | 'owner'
  /** Also in the menu of groups. */
  isForGroups?: boolean
  /** @returns the result, for the log. @throws SignalboxError, worded for the chat */
  run(call: CommandCall): Promise<string>
}

const COMMANDS: Readonly<Record<string, BotCommand>> = {
  ...SESSION_COMMANDS,
  ...RUN_COMMANDS,
  ...READING_COMMANDS,
  ...SETTINGS_COMMANDS,
}

const ALIASES: Readonly<Record<string, string>> = { exit: 'stop', help: 'start' }

export function commandOf(name: string): BotCommand | null {
  const real = ALIASES[name] ?? name
  return Object.hasOwn(COMMANDS, real) ? COMMANDS[real]! : null
}

/** @throws SignalboxError, worded for the chat */
export async function runBotCommand(command: BotCommand, call: CommandCall): Promise<string> {
  if (command.role !== 'viewer') requireRole(call.to.person, command.role)
  return command.run(call)
}

/** The menu of a kind of chat, for `setMyCommands`. */
export function commandMenu(kind: ChatKind): { command: string; description: string }[] {
  return Object.entries(COMMANDS)
    .filter(([, { isForGroups }]) => kind === 'private' || isForGroups)
    .map(([command, { summary }]) => ({ command, description: summary }))
}
