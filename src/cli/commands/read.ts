import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Conversation, InMilliseconds, PaneConversation, Screen, TextFrame } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { readablePath } from '../sessions/readable-path.js'
import type { CommandInput } from '../specs/command-spec.js'

type Message = InMilliseconds<Conversation>['messages'][number]

/** Above an answer of which only the end was seen. */
const LATE = '(joined late: this was under way when the pane was first read)'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = await readablePath(context, client, args.id)
  if (options.screen) return screen(context, client, path.screen, options.json === true)
  const { messages } = await client.get<Conversation | PaneConversation>(path.conversation)
  const chosen = pickTurn(afterTurn(messages, options.since), options.turn)
  if (options.json) {
    for (const message of chosen) context.json(message)
    return EXIT.ok
  }
  const { renderAnsi } = await import('../../screen/index.js')
  const style = { isColour: context.isOutputTty && !context.env.NO_COLOR, width: Math.min(context.columns, 100) }
  chosen.forEach((message, index) => {
    if (index > 0) context.out('')
    if (message.joinedLate) context.out(style.isColour ? `\u001b[2m${LATE}\u001b[22m` : LATE)
    for (const line of renderAnsi(message.blocks, style)) context.out(line)
  })
  return EXIT.ok
}

async function screen(context: CommandContext, client: DaemonClient, path: string, isJson: boolean): Promise<number> {
  const { visibleText } = await import('../../text/index.js')
  const picture = await client.get<Screen | TextFrame>(path)
  if (isJson) context.json(picture)
  else for (const line of picture.lines) context.out(visibleText(line))
  return EXIT.ok
}

/** What came after a turn, which is named by its number or by its id. */
function afterTurn(messages: readonly Message[], wanted: unknown): readonly Message[] {
  if (wanted === undefined) return messages
  const number = numberOf(String(wanted))
  if (!Number.isInteger(number) || number < 0)
    throw new SignalboxError('E_INPUT', `"${String(wanted)}" is no turn`, { next: 'its number, or its id from --json' })
  return messages.filter(message => numberOf(message.turn) > number)
}

/** Turns count from 1; negative ones from the end. */
function pickTurn(messages: readonly Message[], wanted: unknown): Message[] {
  if (wanted === undefined) return [...messages]
  const turns = [...new Set(messages.map(message => message.turn))]
  const number = Number(wanted)
  const turn = number < 0 ? turns.at(number) : turns.find(name => numberOf(name) === number)
  if (!Number.isInteger(number) || turn === undefined) {
    throw new SignalboxError('E_INPUT', `there is no turn ${String(wanted)}`, {
      next: `this session has ${turns.length}`,
    })
  }
  return messages.filter(message => message.turn === turn)
}

/** A turn's id ends with its number. */
function numberOf(turn: string): number {
  return Number(turn.slice(turn.lastIndexOf('.') + 1))
}
